import { decodeBase64, encodeBase64 } from '../interface/base64-text.ts'

/** A notation in which a person writes bytes. */
export type Notation = 'text' | 'base64' | 'hex'
export const notations: readonly Notation[] = ['text', 'base64', 'hex']

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The bytes of a text; undefined where it is not valid in the notation. White space in Base64 and hexadecimal is
 * ignored.
 */
export function bytesIn(notation: Notation, text: string): Bytes | undefined {
  if (notation === 'text') return new TextEncoder().encode(text)
  const dense = text.replaceAll(/\s/g, '')
  return notation === 'hex' ? bytesOfHex(dense) : bytesOfBase64(dense)
}

/** The bytes in a notation; undefined where they are not text: invalid UTF-8, or a control character. */
export function writtenAs(notation: Notation, bytes: Bytes): string | undefined {
  if (notation === 'base64') return encodeBase64(bytes)
  if (notation === 'hex') return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

export function bytesOfBase64(text: string): Bytes | undefined {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return undefined
  return decodeBase64(text)
}

function bytesOfHex(text: string): Bytes | undefined {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text)) return undefined
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
