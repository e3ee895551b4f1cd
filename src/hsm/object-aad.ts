import { encodeRecord } from './key-record.ts'

// Additional data of fields and files of objects, which callers may encrypt with the data key of a vault. That key also
// wraps the vault's transparent keys (`outer-wrapping.ts`), with additional data of another form. A caller who could
// choose that form could remove the outer wrapping of a key, which would then outlive its vault.

const fieldName = 'object field'
const earlierFieldName = 'earlier object field'
const chunkName = 'file chunk'

/** What the ciphertext of a field is bound to. It can be decrypted only for this owner. */
export interface FieldOwner {
  readonly id: number
  readonly vaultId: number
  readonly templateId: number
}

const aadUnder =
  (name: string) =>
  ({ id, vaultId, templateId }: FieldOwner, field: string, version: number): Buffer =>
    encodeRecord([name, vaultId, id, templateId, field, version])

/** Binds a field to its object. */
export const fieldAad = aadUnder(fieldName)
/**
 * Binds a field to an earlier version of its object, so that it can be decrypted neither as the present value nor in
 * another version.
 */
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

/** Whether additional data have one of these forms. */
export function isObjectAad(aad: Buffer): boolean {
  return names.some((name) => aad.subarray(0, name.length).equals(name))
}
