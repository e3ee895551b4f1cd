import { encodeRecord } from './key-record.ts'

// What the key of a vault encrypts for callers: the fields and files of objects. What else it encrypts, the keys below it
// (`outer-wrapping.ts`), has other names in its additional data, and a caller who could give those would have the outer
// wrapping of a key taken off, and a key that outlives its vault.

const fieldName = 'object field'
const earlierFieldName = 'earlier object field'
const chunkName = 'file chunk'

interface FieldOwner {
  readonly id: number
  readonly vaultId: number
  readonly templateId: number
}

const aadUnder =
  (name: string) =>
  ({ id, vaultId, templateId }: FieldOwner, field: string, version: number): Buffer =>
    encodeRecord([name, vaultId, id, templateId, field, version])

/** Binds a field to the object that it is of. */
export const fieldAad = aadUnder(fieldName)
/** Binds a field to an earlier version of the object, so that it opens neither as the present value nor in another version. */
export const earlierFieldAad = aadUnder(earlierFieldName)

/** Binds a chunk to its place in an upload. */
export function chunkAad(
  vaultId: number,
  upload: string,
  { index, isLast }: { readonly index: number; readonly isLast: boolean },
): Buffer {
  return encodeRecord([chunkName, vaultId, upload, index, isLast ? 'last' : 'more'])
}

const names = [fieldName, earlierFieldName, chunkName].map((name) => encodeRecord([name]))

/** Whether these bytes begin with a name of the above, as the first field of a record. */
export function isObjectAad(aad: Buffer): boolean {
  return names.some((name) => aad.subarray(0, name.length).equals(name))
}
