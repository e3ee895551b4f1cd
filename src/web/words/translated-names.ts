import type { ListedTemplate, PasswordPolicy, StoredTemplate } from '../interface/calls.ts'
import { lastBuiltIn, swedishPolicies, swedishTemplates } from './built-in-names.ts'
import { usePreferences } from './language.tsx'

/** Translates texts of built-in templates only: templates of the site are in the language of the site. */
const inSwedish = (templateid: string, text: string): string =>
  Number(templateid) <= lastBuiltIn ? (swedishTemplates[text] ?? text) : text

interface Answer {
  readonly TEMPLATES: readonly StoredTemplate[]
}

function storedInSwedish(template: StoredTemplate): StoredTemplate {
  const { id, info } = template
  const structure = template.structure.map((field) => ({ ...field, translation: inSwedish(id, field.translation) }))
  return { ...template, info: { ...info, name: inSwedish(id, info.name) }, structure }
}

function listedInSwedish({ INFO, STRUCTURE }: ListedTemplate): ListedTemplate {
  const fields = Object.entries(STRUCTURE).map(([name, field]) => {
    return [name, { ...field, translation: inSwedish(INFO.id, field.translation) }] as const
  })
  return { INFO: { ...INFO, name: inSwedish(INFO.id, INFO.name) }, STRUCTURE: Object.fromEntries(fields) }
}

const unchanged = <T>(answer: T): T => answer
const answerInSwedish = <A extends Answer>(answer: A): A => {
  return { ...answer, TEMPLATES: answer.TEMPLATES.map(storedInSwedish) }
}
const listInSwedish = (list: readonly ListedTemplate[]): readonly ListedTemplate[] => list.map(listedInSwedish)

const policiesInSwedish = (policies: readonly PasswordPolicy[]): readonly PasswordPolicy[] =>
  policies.map((policy) => ({ ...policy, name: swedishPolicies[policy.name] ?? policy.name }))

const useIsSwedish = (): boolean => usePreferences().preferences.language === 'sv'

/** For a query's `select`: translates the templates of an answer into the person's language. */
export const useTemplateTranslation = (): (<A extends Answer>(answer: A) => A) =>
  useIsSwedish() ? answerInSwedish : unchanged

/** The same for the list of all templates. */
export const useTemplateListTranslation = (): typeof listInSwedish => (useIsSwedish() ? listInSwedish : unchanged)

/** The same for the password policies. */
export const usePolicyTranslation = (): typeof policiesInSwedish => (useIsSwedish() ? policiesInSwedish : unchanged)
