import { momentWords } from '../controls/moment-text.tsx'

/** Details that have a sentence of their own: the pattern, and the sentence with what the pattern holds. */
export type KnownDetails = readonly (readonly [pattern: RegExp, sentence: string])[]

interface Told {
  readonly text: string
  /** Set where the text is not in the person's language. */
  readonly lang?: 'en'
}

const moments = /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(?:\.\d+)?)?Z?/g

/** What the daemon saw, in whole sentences and with moments in the person's time zone. Its own words are in English. */
export function toldOf(detail: string, known: KnownDetails, locale: string): Told {
  const clauses = detail.split('; ').map((clause) => {
    const [pattern, sentence] = known.find(([one]) => one.test(clause)) ?? []
    return pattern && sentence !== undefined
      ? { text: clause.replace(pattern, sentence), isKnown: true }
      : { text: sentenceOf(clause), isKnown: false }
  })
  const text = clauses.map((clause) => clause.text).join(' ')
  return {
    text: text.replaceAll(moments, (moment: string, seconds?: string) =>
      momentWords(moment.endsWith('Z') ? moment : `${moment}Z`, locale, seconds === undefined ? 'short' : 'medium'),
    ),
    ...(clauses.some(({ isKnown }) => !isKnown) && { lang: 'en' }),
  }
}

const sentenceOf = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
