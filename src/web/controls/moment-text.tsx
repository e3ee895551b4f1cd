import { useWords } from '../words/language.tsx'

/** The same words for a day in each view, with the time in those that need it. */
export const dayWords = (at: string, locale: string): string =>
  new Date(at).toLocaleDateString(locale, { dateStyle: 'medium' })
export const momentWords = (at: string, locale: string, timeStyle: 'short' | 'medium' = 'short'): string =>
  new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle })

interface Props {
  /** RFC 3339 in UTC, as the appliance writes it. */
  readonly at: string
  readonly withSeconds?: boolean
}

/** A moment in the person's time zone and language. */
export function MomentText({ at, withSeconds = false }: Props) {
  const { locale } = useWords()
  if (Number.isNaN(Date.parse(at))) return <>{at}</>
  return (
    <time dateTime={at} title={at}>
      {momentWords(at, locale, withSeconds ? 'medium' : 'short')}
    </time>
  )
}
