import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { ListedTemplate, StoredTemplate } from '../interface/calls.ts'
import { templatesQuery, usePolicies } from '../vaults/vault-reads.ts'
import { useTemplateListTranslation } from '../words/translated-names.ts'
import type { RulesByName } from './policy-rules.ts'

/** Milliseconds; templates change rarely. */
const longMs = 300_000

/** The templates for new objects. */
export function useTemplates() {
  const translate = useTemplateListTranslation()
  const select = useCallback((listed: readonly ListedTemplate[]) => ofNewObjects(translate(listed)), [translate])
  return useQuery({ ...templatesQuery, staleTime: longMs, select })
}

const ofNewObjects = (listed: readonly ListedTemplate[]): readonly StoredTemplate[] =>
  listed
    .map(({ INFO, STRUCTURE }) => ({
      id: INFO.id,
      info: INFO,
      structure: Object.entries(STRUCTURE).map(([fieldname, field]) => ({ ...field, fieldname })),
    }))
    .filter(({ info }) => info.active && info.hid !== true)

/** The rules of a password policy; none until the list is loaded. */
export function usePolicyRules(policyid: string | undefined): RulesByName {
  const { data } = usePolicies()
  return data?.find(({ id }) => String(id) === policyid)?.rules ?? noRules
}
const noRules: RulesByName = {}
