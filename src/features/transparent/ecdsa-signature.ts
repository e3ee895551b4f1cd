/**
 * The two forms of an ECDSA signature: r ‖ s, each as long as the curve's order (IEEE P1363, and JWS), and the DER
 * SEQUENCE of two INTEGERs (RFC 3279 §2.2.3) that openssl reads.
 */
const sequence = 0x30
const integer = 0x02

export function toDer(raw: Buffer): Buffer {
  const half = raw.length / 2
  const content = Buffer.concat([derInteger(raw.subarray(0, half)), derInteger(raw.subarray(half))])
  return Buffer.concat([header(sequence, content.length), content])
}

/** Undefined for anything that is not exactly one signature in DER: a lenient reader would accept two texts for one signature. */
export function fromDer(der: Buffer, orderBytes: number): Buffer | undefined {
  const [r, afterR] = readInteger(der, der[1] === 0x81 ? 3 : 2, orderBytes)
  const [s] = readInteger(der, afterR, orderBytes)
  if (r === undefined || s === undefined) return undefined
  const raw = Buffer.concat([r, s])
  return toDer(raw).equals(der) ? raw : undefined
}

function derInteger(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const magnitude = bytes.subarray(start)
  // A set top bit would make it negative.
  const padded = (magnitude[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude
  return Buffer.concat([header(integer, padded.length), padded])
}

function header(tag: number, length: number): Buffer {
  return length < 0x80 ? Buffer.of(tag, length) : Buffer.of(tag, 0x81, length)
}

function readInteger(der: Buffer, at: number, orderBytes: number): [value: Buffer | undefined, next: number] {
  const length = der[at + 1] ?? 0
  const next = at + 2 + length
  const magnitude = der.subarray(at + 2, next)
  const trimmed = magnitude[0] === 0 ? magnitude.subarray(1) : magnitude
  if (der[at] !== integer || length === 0 || next > der.length || trimmed.length > orderBytes) return [undefined, next]
  return [Buffer.concat([Buffer.alloc(orderBytes - trimmed.length), trimmed]), next]
}
