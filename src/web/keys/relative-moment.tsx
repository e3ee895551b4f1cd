import { momentWords } from '../controls/moment-text.tsx'
import { useWords } from '../words/language.tsx'

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** A time relative to now, such as "3 months ago" or "in 29 days", in the largest unit that fits. */
export function relativeWords(at: string, locale: string): string {
  const seconds = (Date.parse(at) - Date.now()) / 1_000
  if (Number.isNaN(seconds)) return at
  const [unit, length] = units.find(([, one]) => Math.abs(seconds) >= one) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.trunc(seconds / length), unit)
}

/** A relative time. The exact time is its tooltip. */
export function RelativeMoment({ at }: { readonly at: string }) {
  const { locale } = useWords()
  return (
    <time dateTime={at} title={momentWords(at, locale)}>
      {relativeWords(at, locale)}
    </time>
  )
}
