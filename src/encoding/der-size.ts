import { derTag, headerAt } from './der.ts'

/**
 * The number of elements in a DER or BER structure, without reading it: at least as many as any parser would find. The
 * content of an OCTET STRING, which may be raw bytes or a structure (the extensions of a certificate), is counted as
 * what gives more. Stops beyond `limit`.
 */
export function elementCount(bytes: Buffer, limit: number): number {
  let count = 0
  for (let at = 0; at < bytes.length && count <= limit; count++) {
    const header = headerAt(bytes, at)
    // What this reader does not know may be elements of two bytes each.
    if (header === undefined) return count + Math.ceil((bytes.length - at) / 2)
    const { tag, from, to = from } = header
    if (tag === derTag.octetString) count += elementCount(bytes.subarray(from, to), limit - count)
    // The elements inside a constructed one follow its header.
    at = isConstructed(tag) ? from : to
  }
  return count
}

const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0
