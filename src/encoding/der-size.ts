import { derTag, headerAt } from './der.ts'

/**
 * Counts the elements in a DER or BER structure without parsing it: at least as many as any parser would find. An OCTET
 * STRING may contain raw bytes or a structure (the extensions of a certificate); it is counted as whichever gives more.
 * Stops above `limit`.
 */
export function elementCount(bytes: Buffer, limit: number): number {
  let count = 0
  for (let at = 0; at < bytes.length && count <= limit; count++) {
    const header = headerAt(bytes, at)
    // Bytes that this reader does not know may be elements of two bytes each.
    if (header === undefined) return count + Math.ceil((bytes.length - at) / 2)
    const { tag, from, to = from } = header
    if (tag === derTag.octetString) count += elementCount(bytes.subarray(from, to), limit - count)
    // The elements in a constructed element follow its header.
    at = isConstructed(tag) ? from : to
  }
  return count
}

const isConstructed = (tag: number): boolean => (tag & 0x20) !== 0
