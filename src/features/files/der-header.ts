/** Where the content of a DER or BER element lies (X.690 §8.1); the bytes may end before it does. */
export interface DerHeader {
  readonly tag: number
  readonly from: number
  /** Where the next element begins; undefined for the indefinite length. */
  readonly to: number | undefined
}

export const tag = {
  integer: 0x02,
  octetString: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
} as const

/** The header at `at`, read from bytes that may be cut off anywhere; undefined where there is none. */
export function headerAt(bytes: Buffer, at: number): DerHeader | undefined {
  const [first, length] = [bytes[at], bytes[at + 1]]
  if (first === undefined || length === undefined || (first & 0x1f) === 0x1f) return undefined
  if (length < 0x80) return { tag: first, from: at + 2, to: at + 2 + length }
  if (length === 0x80) return { tag: first, from: at + 2, to: undefined }
  const from = at + 2 + (length & 0x7f)
  if (length > 0x84 || from > bytes.length) return undefined
  return { tag: first, from, to: from + bytes.readUIntBE(at + 2, length & 0x7f) }
}

/** The headers of the first elements inside `parent`, `most` of them, as far as the bytes go. */
export function childrenOf(bytes: Buffer, parent: DerHeader | undefined, most: number): DerHeader[] {
  const children: DerHeader[] = []
  for (let at = parent?.from; at !== undefined && children.length < most;) {
    if (parent?.to !== undefined && at >= parent.to) break
    const child = headerAt(bytes, at)
    if (child === undefined) break
    children.push(child)
    at = child.to
  }
  return children
}

/** The content as hexadecimal digits, where it is short and all there: for comparing object identifiers and small numbers. */
export function shortContent(bytes: Buffer, header: DerHeader | undefined): string | undefined {
  if (header?.to === undefined || header.to > bytes.length || header.to - header.from > 32) return undefined
  return bytes.toString('hex', header.from, header.to)
}
