import { expect, it } from 'vitest'
import { passwordPolicies } from '../../../src/features/passwords/policies.ts'
import { builtInTemplates } from '../../../src/features/templates/built-in.ts'
import { lastBuiltIn, swedishPolicies, swedishTemplates } from '../../../src/web/words/built-in-names.ts'

it('every name and label of the built-in templates has its word in Swedish, and no other', () => {
  const texts = builtInTemplates.flatMap(({ name, fields }) => [name, ...fields.map(({ label }) => label)])
  expect(Object.keys(swedishTemplates).toSorted()).toEqual([...new Set(texts)].toSorted())
})

it('no two templates, and no two fields of one, have the same word in Swedish', () => {
  const inSwedish = (texts: readonly string[]) => texts.map((text) => swedishTemplates[text] ?? text)
  for (const texts of [
    builtInTemplates.map(({ name }) => name),
    ...builtInTemplates.map(({ fields }) => fields.map(({ label }) => label)),
  ])
    expect(new Set(inSwedish(texts)).size).toBe(texts.length)
})

it('every password policy has its name in Swedish, and no other', () => {
  expect(Object.keys(swedishPolicies)).toEqual(passwordPolicies.map(({ name }) => name))
})

it('the ids of the built-in templates are those that are translated', () => {
  for (const { id } of builtInTemplates) expect(id).toBeLessThanOrEqual(lastBuiltIn)
})
