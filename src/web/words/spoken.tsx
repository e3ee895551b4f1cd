import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { applyPreferences, keepPreferences, readPreferences, type Language, type Preferences } from '../preferences.ts'
import { PasskeyFailure } from '../interface/passkey-failure.ts'
import { Refusal } from '../interface/refusal.ts'
import { en, type Words } from './en.ts'
import { sv } from './sv.ts'

const catalogues: Readonly<Record<Language, Words>> = { en, sv }

interface PreferencesContent {
  readonly preferences: Preferences
  readonly choose: (change: Partial<Preferences>) => void
}

const PreferencesContext = createContext<PreferencesContent | undefined>(undefined)

/** Provides language and colours to its children. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [preferences, setPreferences] = useState(readPreferences)
  useEffect(() => applyPreferences(preferences), [preferences])
  const content = useMemo<PreferencesContent>(
    () => ({
      preferences,
      choose(change) {
        const next = { ...preferences, ...change }
        keepPreferences(next)
        setPreferences(next)
      },
    }),
    [preferences],
  )
  return (
    <PreferencesContext value={content}>
      <I18nProvider locale={preferences.language === 'sv' ? 'sv-SE' : 'en-US'}>{children}</I18nProvider>
    </PreferencesContext>
  )
}

/** The person's language and colours, and how to choose others. */
export function usePreferences(): PreferencesContent {
  const content = useContext(PreferencesContext)
  if (content === undefined) throw new Error('a view outside of PreferencesProvider')
  return content
}

/** The texts of the frame and of faults, in the person's language. */
export const useWords = (): Words => catalogues[usePreferences().preferences.language]

/** The texts of one part of the console, loaded with that part. */
interface Catalogue<PartWords> {
  readonly en: PartWords
  readonly sv: PartWords
}

/** Pairs the texts of both languages. A missing text does not compile. */
export const inBoth = <PartWords,>(en: PartWords, sv: NoInfer<PartWords>): Catalogue<PartWords> => ({ en, sv })

/** The texts of one part, in the person's language. */
export const useWordsOf = <PartWords,>(catalogue: Catalogue<PartWords>): PartWords =>
  catalogue[usePreferences().preferences.language]

interface Sentence {
  readonly text: string
  /** Set where the text is not in the person's language. */
  readonly lang?: 'en'
  /** Additional text of the appliance, in English. */
  readonly detail?: string | undefined
  /** Number of the fault, which an administrator can look up. */
  readonly number?: number
  readonly waitSeconds?: number | undefined
}

/** The browsers' names of the error for a file that was moved or changed after it was chosen. */
const unreadable = ['NotFoundError', 'NotReadableError']

/** Faults whose sentence says what exactly is wrong with an object, a user, a device, a pass phrase or a call. */
const particular = new Set([1611, 1702, 1705, 1730, 1741, 1751, 1761, 1804])

/** The sentence that tells a person of an error. */
export function sentenceOf(error: unknown, words: Words): Sentence {
  if (error instanceof PasskeyFailure) return { text: words.passkeyFailures[error.reason] }
  if (error instanceof DOMException && unreadable.includes(error.name)) return { text: words.fileGone }
  if (!(error instanceof Refusal)) return { text: words.failed }
  const { number, sentence, status, waitSeconds } = error
  if (number === undefined)
    return status === 0 ? { text: words.unreachable } : { text: words.notOurs, number: status, waitSeconds }
  const known = words.faults[number]
  if (known === undefined && sentence !== undefined) return { text: sentence, lang: 'en', number, waitSeconds }
  return { text: known ?? words.failed, number, waitSeconds, ...(particular.has(number) && { detail: sentence }) }
}
