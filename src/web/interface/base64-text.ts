/** Base64 (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  // In pieces: each byte becomes an argument.
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 8_192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)))
  return btoa(pieces.join(''))
}

/** @throws DOMException where the text is no base64 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

/** Base64url (RFC 4648, section 5) without padding, by hand: not every browser has it. */
export const encodeBase64url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** @throws DOMException where the text is no base64url */
export const decodeBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
