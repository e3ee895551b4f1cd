import { lastBuiltIn } from '../words/built-in-names.ts'
import type { ListedTemplate } from '../interface/calls.ts'

export type TemplateField = ListedTemplate['STRUCTURE'][string]

/** A field of a draft. `key` identifies it, because its name may change. */
export interface DraftField {
  readonly key: number
  readonly name: string
  readonly field: TemplateField
}

/** A template while a person edits it. Nothing of it is stored. */
export interface TemplateDraft {
  readonly info: ListedTemplate['INFO']
  readonly fields: readonly DraftField[]
}

export function draftOf({ INFO, STRUCTURE }: ListedTemplate, freeId: string): TemplateDraft {
  const info = Number(INFO.id) > lastBuiltIn ? INFO : { ...INFO, id: freeId }
  return { info, fields: Object.entries(STRUCTURE).map(([name, field], key) => ({ key, name, field })) }
}

const plain: TemplateField = {
  translation: '',
  type: 'text',
  encrypted: false,
  show: true,
  policy: false,
  alarm: false,
  opt: true,
  cc: false,
  nc: false,
}

export function withField(draft: TemplateDraft): TemplateDraft {
  const key = Math.max(-1, ...draft.fields.map((field) => field.key)) + 1
  const taken = new Set(draft.fields.map(({ name }) => name))
  let number = key + 1
  while (taken.has(`field${number}`)) number += 1
  return { ...draft, fields: [...draft.fields, { key, name: `field${number}`, field: plain }] }
}

/** The keys of fields that have the name of an earlier one. Field names of a template must be unique. */
export function repeatedIn({ fields }: TemplateDraft): ReadonlySet<number> {
  const names = new Set<string>()
  const repeated = new Set<number>()
  for (const { key, name } of fields) {
    if (names.has(name)) repeated.add(key)
    names.add(name)
  }
  return repeated
}

/** Turns encryption of a field on or off. Properties that only encrypted fields have are turned off with it. */
export const asSecret = (field: TemplateField, encrypted: boolean): TemplateField =>
  encrypted
    ? { ...field, encrypted, cc: true, nc: true }
    : { ...field, encrypted, cc: false, nc: false, policy: false, alarm: false, type: openType(field.type) }

const openType = (type: TemplateField['type']): TemplateField['type'] => (type === 'text-passwdgen' ? 'text' : type)

/** Moves a field one place up (-1) or down (1). */
export function moved({ info, fields }: TemplateDraft, at: number, by: -1 | 1): TemplateDraft {
  const order = [...fields]
  const [field] = order.splice(at, 1)
  if (field !== undefined) order.splice(at + by, 0, field)
  return { info, fields: order }
}

/** The file that `strongroom template add` reads. */
export const documentOf = ({ info, fields }: TemplateDraft): string =>
  `${JSON.stringify({ INFO: info, STRUCTURE: Object.fromEntries(fields.map(({ name, field }) => [name, field])) }, undefined, 2)}\n`
