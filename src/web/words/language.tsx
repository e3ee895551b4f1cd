import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { applyPreferences, keepPreferences, readPreferences, type Language, type Preferences } from '../preferences.ts'
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
