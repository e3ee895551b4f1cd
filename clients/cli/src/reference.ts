import { UsageError } from './exit-code.ts'

/** One part of a reference: a name or an id. */
export type Part = { readonly name: string } | { readonly id: string }

/** Parses a part: `id:17` is an id; in a name, `%2F` is a slash, `%25` a percent sign and `%3A` a colon. */
function readPart(text: string): Part {
  const id = /^id:(\d+)$/.exec(text)?.[1]
  return id === undefined
    ? { name: text.replaceAll(/%(2F|25|3A)/gi, (written) => decodeURIComponent(written)) }
    : { id }
}

/** Escapes a name for a reference. */
export const writtenName = (name: string): string =>
  name.replaceAll('%', '%25').replaceAll('/', '%2F').replace(/^id:/, 'id%3A')

export const describePart = (part: Part): string => ('id' in part ? `with the id ${part.id}` : `named ${part.name}`)

function partsOf(text: string): Part[] {
  const parts = text.split('/')
  return parts.some((part) => part === '') ? [] : parts.map(readPart)
}

export interface Place {
  readonly vault: Part
  /** The object, preceded by its folders; empty for the vault itself. */
  readonly path: readonly Part[]
}

export interface FieldPlace extends Place {
  readonly field: string
}

/** Parses `vault` or `vault/folder`. @throws UsageError */
export function readPlace(text: string): Place {
  const [vault, ...path] = partsOf(text)
  if (vault === undefined) throw new UsageError(`${text} names no place: write VAULT, or VAULT/FOLDER.`)
  return { vault, path }
}

/** Parses `vault/object` or `vault/folder/object`. @throws UsageError */
export function readObjectReference(text: string): Place {
  const [vault, ...path] = partsOf(text)
  if (vault === undefined || path.length === 0) throw new UsageError(`${text} names no object: write VAULT/OBJECT.`)
  return { vault, path }
}

/** Parses `vault/object/field` or `vault/folder/object/field`. @throws UsageError */
export function readFieldReference(text: string): FieldPlace {
  const at = text.lastIndexOf('/')
  const field = text.slice(at + 1)
  const [vault, ...path] = at === -1 ? [] : partsOf(text.slice(0, at))
  if (vault === undefined || path.length === 0 || field === '')
    throw new UsageError(`${text} names no field: write VAULT/OBJECT/FIELD.`)
  return { vault, path, field }
}

/** Parses `vault/key`. @throws UsageError */
export function readKeyReference(text: string): { readonly vault: Part; readonly key: string } {
  const [vault, key, ...more] = text.split('/')
  if (vault === undefined || vault === '' || key === undefined || key === '' || more.length > 0)
    throw new UsageError(`${text} names no key: write VAULT/KEY.`)
  return { vault: readPart(vault), key }
}
