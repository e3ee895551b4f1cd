import { derTag, readElements, readOnly, type DerElement } from '../../encoding/der.ts'

/**
 * The two forms of an ECDSA signature: r ‖ s, each as long as the curve's order (IEEE P1363, and JWS), and the DER
 * SEQUENCE of two INTEGERs (RFC 3279 §2.2.3) that openssl reads.
 */
export function toDer(raw: Buffer): Buffer {
  const half = raw.length / 2
  const content = Buffer.concat([derInteger(raw.subarray(0, half)), derInteger(raw.subarray(half))])
  return Buffer.concat([header(derTag.sequence, content.length), content])
}

/**
 * Undefined for anything but exactly one signature in DER: a lenient reader would accept two texts for one signature,
 * so what was read must be written the same again.
 */
export function fromDer(der: Buffer, orderBytes: number): Buffer | undefined {
  try {
    const [r, s] = readElements(readOnly(der, derTag.sequence).content)
    const raw = Buffer.concat([magnitudeOf(r, orderBytes), magnitudeOf(s, orderBytes)])
    return toDer(raw).equals(der) ? raw : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function derInteger(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const magnitude = bytes.subarray(start)
  // A set top bit would make it negative.
  const padded = (magnitude[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude
  return Buffer.concat([header(derTag.integer, padded.length), padded])
}

function header(tag: number, length: number): Buffer {
  return length < 0x80 ? Buffer.of(tag, length) : Buffer.of(tag, 0x81, length)
}

function magnitudeOf(integer: DerElement | undefined, orderBytes: number): Buffer {
  if (integer === undefined) throw new RangeError('an INTEGER is missing')
  const trimmed = integer.content[0] === 0 ? integer.content.subarray(1) : integer.content
  if (trimmed.length > orderBytes) throw new RangeError('an INTEGER is too large for the curve')
  return Buffer.concat([Buffer.alloc(orderBytes - trimmed.length), trimmed])
}
