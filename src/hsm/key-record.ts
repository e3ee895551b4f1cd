import { isKeyPairKind, type KeyKind } from './key-kind.ts'
import type { WrappedKey } from './made-key.ts'

/**
 * The canonical bytes that a seal covers.
 *
 * A record is rebuilt from the database's columns at every use and never stored: an attacker who edits a column changes
 * the bytes, and the seal no longer fits. Each field is a 4-byte big-endian length and its bytes, so no two lists of
 * fields have the same encoding.
 */
export type RecordField = Uint8Array | string | number | bigint | null

const lengthBytes = 4

/** Each field with a byte for its type: bytes, text, number or null. See `RecordField`. */
export function encodeRecord(fields: readonly RecordField[]): Buffer {
  const tagged = fields.map(tag)
  const record = Buffer.allocUnsafe(tagged.reduce((bytes, { length }) => bytes + lengthBytes + length, 0))
  let offset = 0
  for (const { length, content } of tagged) {
    offset = record.writeUInt32BE(length, offset)
    if (typeof content === 'string') record.write(content, offset)
    else record.set(content, record.write('b', offset) + offset)
    offset += length
  }
  return record
}

/** In bytes: more than the record of a template has, whose file has at most 16 MiB. */
export const longestRecord = 20 * 1024 * 1024

/**
 * Somewhat more than the largest backup has (`mostBackupVersions`). Without a bound a frame of 60 MB of empty fields took
 * 2 GB of memory and held its process up for seconds.
 */
const mostFields = 300_000

/**
 * The fields of a record as bytes.
 * @throws RangeError where a length exceeds the record, or there are too many fields
 */
export function decodeRecord(record: Buffer): Buffer[] {
  const fields: Buffer[] = []
  let offset = 0
  while (offset < record.length) {
    const length = record.readUInt32BE(offset)
    const end = offset + lengthBytes + length
    if (end > record.length) throw new RangeError('a field of the record runs past its end')
    if (fields.length === mostFields) throw new RangeError(`more than ${mostFields} fields`)
    fields.push(record.subarray(offset + lengthBytes, end))
    offset = end
  }
  return fields
}

// A null must differ from an empty text, and the number 1 from the text "1".
function tag(field: RecordField): { readonly length: number; readonly content: string | Uint8Array } {
  if (field instanceof Uint8Array) return { length: 1 + field.length, content: field }
  const content = field === null ? 'n' : typeof field === 'string' ? `s${field}` : `i${field}`
  return { length: Buffer.byteLength(content), content }
}

/**
 * The bytes to seal for a wrapped key: kind, KEK and blob, for a pair kind its public key, then what binds it to its
 * row. Throws TypeError for a pair kind without its public key.
 */
export function keyRecord(
  kind: KeyKind,
  wrapped: WrappedKey & { readonly publicKey?: Buffer | undefined },
  context: readonly RecordField[],
): Buffer {
  if (!isKeyPairKind(kind)) return encodeRecord([kind, wrapped.kek, wrapped.blob, ...context])
  if (wrapped.publicKey === undefined) throw new TypeError(`a key of kind ${kind} without its public key`)
  return encodeRecord([kind, wrapped.kek, wrapped.blob, wrapped.publicKey, ...context])
}
