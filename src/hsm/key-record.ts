/**
 * The canonical bytes that a seal covers.
 *
 * A record is rebuilt from the database's columns at every use and never stored: whoever edits a column changes the
 * bytes, and the seal no longer fits. Each field is a 4-byte big-endian length and its bytes, so no two lists of
 * fields have the same encoding.
 */
export type RecordField = Uint8Array | string | number | bigint | null

export function encodeRecord(fields: readonly RecordField[]): Buffer {
  const parts: Uint8Array[] = []
  for (const field of fields) {
    const bytes = fieldBytes(field)
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(bytes.length)
    parts.push(length, bytes)
  }
  return Buffer.concat(parts)
}

/** The fields as bytes again. Throws RangeError when a length runs past the end. */
export function decodeRecord(record: Buffer): Buffer[] {
  const fields: Buffer[] = []
  let offset = 0
  while (offset < record.length) {
    const length = record.readUInt32BE(offset)
    const end = offset + 4 + length
    if (end > record.length) throw new RangeError('a field of the record runs past its end')
    fields.push(record.subarray(offset + 4, end))
    offset = end
  }
  return fields
}

// A null must differ from an empty text, and the number 1 from the text "1".
function fieldBytes(field: RecordField): Uint8Array {
  if (field === null) return Buffer.from('n')
  if (typeof field === 'string') return Buffer.from(`s${field}`)
  if (typeof field === 'number' || typeof field === 'bigint') return Buffer.from(`i${field}`)
  return Buffer.concat([Buffer.from('b'), field])
}
