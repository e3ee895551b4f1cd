import forge from 'node-forge'

/** An element of BER (X.690 §8), as node-forge reads it. */
export type Ber = forge.asn1.Asn1

/** Why a file with a pass phrase could not be opened, in a sentence for the sender. */
export class Unopened extends Error {}

/**
 * Parses BER, including indefinite lengths and strings in pieces, as NSS and Java write PKCS#12; `encoding/der.ts`
 * accepts neither. node-forge limits the nesting to 256.
 * @throws Error of any kind for other bytes
 */
export const readBer = (bytes: Buffer): Ber => forge.asn1.fromDer(bytes.toString('latin1'))

export function itemsOf({ value }: Ber): Ber[] {
  if (typeof value === 'string') throw new RangeError('an element is not constructed')
  return value
}

export function child(parent: Ber, index: number): Ber {
  const found = itemsOf(parent)[index]
  if (found === undefined) throw new RangeError('an element is missing')
  return found
}

/** The content of an OCTET STRING, joined from its pieces. */
export function octetsOf({ value }: Ber): Buffer {
  return typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.concat(value.map(octetsOf))
}

export function oidOf({ type, value }: Ber): string {
  if (type !== forge.asn1.Type.OID || typeof value !== 'string') throw new RangeError('not an object identifier')
  return forge.asn1.derToOid(value)
}

/** A positive INTEGER; Infinity for one of more than six bytes. */
export function countOf({ type, value }: Ber): number {
  if (type !== forge.asn1.Type.INTEGER || typeof value !== 'string' || value === '')
    throw new RangeError('not an INTEGER')
  const bytes = Buffer.from(value, 'latin1')
  const count = bytes.length > 6 ? Infinity : bytes.readUIntBE(0, bytes.length)
  if (count === 0 || (bytes[0] ?? 0) >= 0x80) throw new RangeError('not a positive INTEGER')
  return count
}
