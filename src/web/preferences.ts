import { KeptJson } from './controls/kept-json.ts'

export type Language = 'en' | 'sv'
export type Theme = 'system' | 'light' | 'dark'

export interface Preferences {
  readonly language: Language
  readonly theme: Theme
}

const kept = new KeptJson<Preferences>(localStorage, 'strongroom.preferences')

/** The choice that a person stored in this browser, otherwise the browser's own settings. */
export function readPreferences(): Preferences {
  const chosen: Partial<Preferences> = kept.read() ?? {}
  const language = chosen.language === 'sv' || chosen.language === 'en' ? chosen.language : languageOfBrowser()
  const theme = chosen.theme === 'light' || chosen.theme === 'dark' ? chosen.theme : 'system'
  return { language, theme }
}

/** Stores the choice. Called again after a logout, which clears the storage of the page. */
export function keepPreferences(preferences: Preferences): void {
  kept.write(preferences)
}

export function applyPreferences({ language, theme }: Preferences): void {
  const { documentElement: root } = document
  root.lang = language
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
}

const languageOfBrowser = (): Language => (/^sv\b/i.test(navigator.languages[0] ?? navigator.language) ? 'sv' : 'en')
