import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url } from '../interface/base64-text.ts'

/** The two parts of a link, in base64url. The appliance gets the opener (16 bytes), but never the key (AES-256). */
export interface LinkParts {
  readonly opener: string
  readonly key: string
}

const nonceBytes = 12
const keyBytes = 32
/** Plaintexts are padded to a multiple of this many bytes, so that the ciphertext reveals the length only roughly. */
const paddedTo = 256
const lengthBytes = 4

export interface SealedText {
  /** Base64 of nonce, ciphertext and tag. */
  readonly ciphertext: string
  readonly key: string
}

/** Encrypts a text (AES-256-GCM) with a new key, which is only in the link. */
export async function sealText(text: string): Promise<SealedText> {
  const bytes = new TextEncoder().encode(text)
  const padded = new Uint8Array(Math.ceil((lengthBytes + bytes.length) / paddedTo) * paddedTo)
  new DataView(padded.buffer).setUint32(0, bytes.length)
  padded.set(bytes, lengthBytes)
  const key = crypto.getRandomValues(new Uint8Array(keyBytes))
  // Each key is used once, so no nonce can repeat under it.
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes))
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, await imported(key, 'encrypt'), padded),
  )
  padded.fill(0)
  const all = new Uint8Array(nonceBytes + sealed.length)
  all.set(nonce)
  all.set(sealed, nonceBytes)
  return { ciphertext: encodeBase64(all), key: encodeBase64url(key) }
}

/** Decrypts the text of a link. @throws Error for a wrong key or a changed ciphertext */
export async function openText({ ciphertext, key }: SealedText): Promise<string> {
  const all = decodeBase64(ciphertext)
  const opening = await imported(decodeBase64url(key), 'decrypt')
  const iv = all.subarray(0, nonceBytes)
  const padded = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, opening, all.subarray(nonceBytes))
  const length = new DataView(padded).getUint32(0)
  return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(padded, lengthBytes, length))
}

/** Length of a text's ciphertext in bytes. */
export function sealedLength(text: string): number {
  const { length } = new TextEncoder().encode(text)
  return nonceBytes + Math.ceil((lengthBytes + length) / paddedTo) * paddedTo + 16
}

export const linkAddress = (origin: string, { opener, key }: LinkParts): string => `${origin}/#/link/${opener}/${key}`

/** The parts of a link; undefined for an incomplete address. */
export function partsOf(opener: string | undefined, key: string | undefined): LinkParts | undefined {
  if (opener === undefined || key === undefined) return undefined
  return /^[\w-]{22}$/.test(opener) && /^[\w-]{43}$/.test(key) ? { opener, key } : undefined
}

const imported = (key: Uint8Array<ArrayBuffer>, use: 'encrypt' | 'decrypt') =>
  crypto.subtle.importKey('raw', key, 'AES-GCM', false, [use])
