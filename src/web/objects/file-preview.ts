/** What can be shown of a file without letting it run. */
export type Preview =
  | { readonly kind: 'picture'; readonly type: string }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }

const mostBytes = 8 * 1024 * 1024

/** Whether a preview is worth asking for: reading the file is recorded. What is shown is decided by its bytes. */
export const mayHavePreview = (type: string, size: number): boolean =>
  size <= mostBytes &&
  (/^(text\/|image\/|application\/(json|xml|pdf|x-pem|x-x509|pkcs|pgp))/.test(type) || /\+(xml|json)$/.test(type))

/** First bytes, as hexadecimal, of the pictures that browsers draw and that hold no script. */
const pictures: readonly (readonly [start: RegExp, type: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^.{8}6674797061766966/, 'image/avif'],
]
/** `%PDF-` */
const pdf = /^255044462d/
const longestStart = 16

/** By its bytes alone: what its name and its stored type say is its sender's. Markup, SVG too, is shown as the text that it is. */
export function previewOf(bytes: Uint8Array): Preview {
  const start = Array.from(bytes.subarray(0, longestStart), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const type = pictures.find(([pattern]) => pattern.test(start))?.[1]
  if (type !== undefined) return { kind: 'picture', type }
  if (pdf.test(start)) return { kind: 'pdf' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return /[^\P{Cc}\t\n\r\f]/u.test(text) ? { kind: 'none' } : { kind: 'text', text }
  } catch {
    return { kind: 'none' }
  }
}
