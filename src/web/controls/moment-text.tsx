import { useWords } from '../words/spoken.tsx'

interface Props {
  /** RFC 3339 in UTC, as the appliance writes it. */
  readonly at: string
  readonly withSeconds?: boolean
}

/** A moment in the person's time zone and language. */
export function MomentText({ at, withSeconds = false }: Props) {
  const { locale } = useWords()
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return <>{at}</>
  const text = moment.toLocaleString(locale, {
    dateStyle: 'medium',
    timeStyle: withSeconds ? 'medium' : 'short',
  })
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  )
}
