/** Encodes bytes in Base64 (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  // In pieces of 8 KiB, because each byte becomes an argument of the call.
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8_192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  return btoa(pieces.join(''))
}

/** Decodes Base64. @throws DOMException for text that is not Base64 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Base64url (RFC 4648, section 5) without padding. Not every browser has a function for it. */
export const encodeBase64url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** Decodes Base64url. @throws DOMException for text that is not Base64url */
export const decodeBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
