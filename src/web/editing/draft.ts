import type { Field, StoredObject, StoredTemplate } from '../interface/calls.ts'

/** The member of a call that names the object; no field can be called so. */
export const nameMember = 'objectname'

/** What a person has typed, by the name of the field. A secret that is not there stays as it is stored. */
export type Draft = Readonly<Record<string, string>>

export const isSecret = ({ encrypted, type }: Field): boolean => encrypted && type !== 'file'

/** Of a new object: what its template offers, and what was read of a file. */
export function newDraft({ structure }: StoredTemplate, known: Draft = {}): Draft {
  const texts = structure.filter(({ type }) => type !== 'file')
  return {
    ...Object.fromEntries(texts.map((field) => [field.fieldname, known[field.fieldname] ?? startOf(field)])),
    [nameMember]: known[nameMember] ?? '',
  }
}

interface CarriedOver {
  readonly draft: Draft
  /** The labels of the fields whose values have no place. */
  readonly lost: readonly string[]
}

/** What was typed for one template, as far as another one has a place for it. */
export function carriedOver(draft: Draft, from: StoredTemplate, to: StoredTemplate): CarriedOver {
  const typed = Object.entries(changedIn(draft, newDraft(from))).filter(([, value]) => value !== '')
  const known: Record<string, string> = {}
  const lost: string[] = []
  for (const [name, value] of typed) {
    const field = from.structure.find(({ fieldname }) => fieldname === name)
    const place = placeOf(name, value, field, to)
    if (place === undefined) lost.push(field?.translation ?? name)
    // An object has one name, whatever its template calls it.
    else known[place] ??= value
  }
  return { draft: newDraft(to, known), lost }
}

/** A name is one in every template; a secret stays one. */
function placeOf(name: string, value: string, from: Field | undefined, to: StoredTemplate): string | undefined {
  const isName = from === undefined || (name === 'name' && !isSecret(from))
  if (isName) return isNamedByField(to, undefined) ? 'name' : nameMember
  const field = to.structure.find(({ fieldname }) => fieldname === name)
  if (field === undefined || field.type === 'file' || (isSecret(from) && !isSecret(field))) return undefined
  return field.type === 'dropdown' && !(field.options ?? []).includes(value) ? undefined : name
}

/** A dropdown that must have a value shows one. */
const startOf = ({ type, opt, options = [], options_default: usual }: Field): string =>
  type === 'dropdown' ? (usual ?? (opt ? '' : (options[0] ?? ''))) : ''

/** Of a stored object: its open values, as they were read. */
export function storedDraft({ structure }: StoredTemplate, object: StoredObject): Draft {
  const open = structure.filter((field) => field.type !== 'file' && !field.encrypted)
  return {
    ...Object.fromEntries(open.map(({ fieldname }) => [fieldname, object.public[fieldname] ?? ''])),
    [nameMember]: object.objectname,
  }
}

/** What a person has changed. An emptied name is none: the appliance keeps the one that it has. */
export function changedIn(draft: Draft, before: Draft): Draft {
  return Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => value !== before[name] && !(name === nameMember && value.trim() === ''),
    ),
  )
}

/** What goes with the call that makes an object: of optional fields those that have a value. */
export const filledIn = (draft: Draft): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ''))

/** The name of a field that says the object's name itself, which the form then does not ask for twice. */
export function isNamedByField({ structure }: StoredTemplate, draft: Draft | undefined): boolean {
  const named = structure.find(({ fieldname }) => fieldname === 'name')
  return named !== undefined && !named.encrypted && (draft === undefined || draft['name'] === draft[nameMember])
}

/** What of the newer one takes the place of what a person has left alone. */
export function rebased(draft: Draft, before: Draft, newer: Draft): Draft {
  return { ...newer, ...changedIn(draft, before) }
}

/** The fields that another person has changed, and this one too. */
export function contestedIn(draft: Draft, before: Draft, newer: Draft): readonly string[] {
  return Object.keys(changedIn(draft, before)).filter(
    (name) => newer[name] !== undefined && newer[name] !== before[name] && newer[name] !== draft[name],
  )
}
