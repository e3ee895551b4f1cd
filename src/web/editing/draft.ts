import type { Field, StoredObject, StoredTemplate } from '../interface/calls.ts'

/** The member of a call for the object's name. No field has this name. */
export const nameMember = 'objectname'

/** Typed values by field name. A secret that is absent stays as it is stored. */
export type Draft = Readonly<Record<string, string>>

export const isSecret = ({ encrypted, type }: Field): boolean => encrypted && type !== 'file'

/** The initial values of a new object: the defaults of its template, and values that were read from a file. */
export function newDraft({ structure }: StoredTemplate, known: Draft = {}): Draft {
  const texts = structure.filter(({ type }) => type !== 'file')
  return {
    ...Object.fromEntries(texts.map((field) => [field.fieldname, known[field.fieldname] ?? startOf(field)])),
    [nameMember]: known[nameMember] ?? '',
  }
}

interface CarriedOver {
  readonly draft: Draft
  /** Labels of the fields whose values have no place in the new template. */
  readonly lost: readonly string[]
}

/** The values that were typed for one template, as far as another one has fields for them. */
export function carriedOver(draft: Draft, from: StoredTemplate, to: StoredTemplate): CarriedOver {
  const typed = Object.entries(changedIn(draft, newDraft(from))).filter(([, value]) => value !== '')
  const known: Record<string, string> = {}
  const lost: string[] = []
  for (const [name, value] of typed) {
    const field = from.structure.find(({ fieldname }) => fieldname === name)
    const place = placeOf(name, value, field, to)
    if (place === undefined) lost.push(field?.translation ?? name)
    // An object has one name, whichever field of its template holds it.
    else known[place] ??= value
  }
  return { draft: newDraft(to, known), lost }
}

/** The member of the new template for a value. A name stays a name, and a secret goes into secret fields only. */
function placeOf(name: string, value: string, from: Field | undefined, to: StoredTemplate): string | undefined {
  const isName = from === undefined || (name === 'name' && !isSecret(from))
  if (isName) return isNamedByField(to, undefined) ? 'name' : nameMember
  const field = to.structure.find(({ fieldname }) => fieldname === name)
  if (field === undefined || field.type === 'file' || (isSecret(from) && !isSecret(field))) return undefined
  return field.type === 'dropdown' && !(field.options ?? []).includes(value) ? undefined : name
}

/** A dropdown that requires a value starts with one. */
const startOf = ({ type, opt, options = [], options_default: usual }: Field): string =>
  type === 'dropdown' ? (usual ?? (opt ? '' : (options[0] ?? ''))) : ''

/** The open values of a stored object. */
export function storedDraft({ structure }: StoredTemplate, object: StoredObject): Draft {
  const open = structure.filter((field) => field.type !== 'file' && !field.encrypted)
  return {
    ...Object.fromEntries(open.map(({ fieldname }) => [fieldname, object.public[fieldname] ?? ''])),
    [nameMember]: object.objectname,
  }
}

/** The changed values. An emptied name is left out, because an object always has a name. */
export function changedIn(draft: Draft, before: Draft): Draft {
  return Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => value !== before[name] && !(name === nameMember && value.trim() === ''),
    ),
  )
}

/** The body of the call that creates an object, without empty values. */
export const filledIn = (draft: Draft): Draft =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ''))

/** Whether an open field `name` gives the object its name, so that the form does not ask for it twice. `stored`: absent for a new one. */
export function isNamedByField({ structure }: StoredTemplate, stored: StoredObject | undefined): boolean {
  const named = structure.find(({ fieldname }) => fieldname === 'name')
  return (
    named !== undefined && !named.encrypted && (stored === undefined || stored.public['name'] === stored.objectname)
  )
}

/** The newer values, except where the person has changed something. */
export function rebased(draft: Draft, before: Draft, newer: Draft): Draft {
  return { ...newer, ...changedIn(draft, before) }
}

/** The fields that both this person and another one have changed. */
export function contestedIn(draft: Draft, before: Draft, newer: Draft): readonly string[] {
  return Object.keys(changedIn(draft, before)).filter(
    (name) => newer[name] !== undefined && newer[name] !== before[name] && newer[name] !== draft[name],
  )
}
