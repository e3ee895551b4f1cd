/**
 * Strict base64 (RFC 4648 §4): the standard alphabet, padded, no line breaks; undefined for anything else.
 * Encoding again and comparing runs in native code: a pattern over a megabyte would hold up every other call.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Strict base64url without padding (RFC 7515 §2): undefined for anything else, and for bits behind the last byte. */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}
