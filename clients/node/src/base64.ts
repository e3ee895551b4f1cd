/** Text is encoded as UTF-8. */
export type Bytes = string | Uint8Array | ArrayBuffer

/** @throws TypeError for anything else: `new Uint8Array(17)` is 17 zero bytes, and that of an object none */
export function bytesOf(value: Bytes): Uint8Array<ArrayBuffer> {
  if (typeof value === 'string') return new TextEncoder().encode(value)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  // Not by `instanceof`, because a test runner may have a Uint8Array of its own.
  if (ArrayBuffer.isView(value)) return new Uint8Array(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  throw new TypeError(`Text or bytes (Uint8Array) are taken, and not ${value === null ? 'null' : typeof value}.`)
}

/** Bytes for one call of `String.fromCharCode`, each of which is an argument. */
const pieceBytes = 0x8000

export function toBase64(value: Bytes): string {
  const bytes = bytesOf(value)
  let binary = ''
  for (let at = 0; at < bytes.length; at += pieceBytes)
    binary += String.fromCharCode(...bytes.subarray(at, at + pieceBytes))
  return btoa(binary)
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Encodes in base64url without padding (RFC 4648 §5), as JWTs do. */
export const toBase64Url = (value: Bytes): string =>
  toBase64(value).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
