/** How the page can show a file without executing any of it. */
export type Preview =
  | { readonly kind: 'picture'; readonly type: string }
  | { readonly kind: 'pdf' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' }

const mostBytes = 8 * 1024 * 1024

/**
 * Whether to offer a preview, by the stored type and size: each read of a file leaves an audit record. The bytes then
 * decide how it is shown.
 */
export const mayHavePreview = (type: string, size: number): boolean =>
  size <= mostBytes &&
  (/^(text\/|image\/|application\/(json|xml|pdf|x-pem|x-x509|pkcs|pgp))/.test(type) || /\+(xml|json)$/.test(type))

/** The first bytes (hexadecimal) and types of the pictures that browsers draw and that cannot contain scripts. */
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

/**
 * The preview of a file, by its bytes alone, because its uploader chose its name and type. Markup, including SVG, is
 * shown as plain text.
 */
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
