/** The data from which an authenticator app computes codes (RFC 6238). */
export interface TotpSeed {
  readonly key: Uint8Array<ArrayBuffer>
  readonly hash: 'SHA-1' | 'SHA-256' | 'SHA-512'
  readonly digits: number
  readonly periodSeconds: number
}

const hashes: Readonly<Record<string, TotpSeed['hash']>> = { SHA1: 'SHA-1', SHA256: 'SHA-256', SHA512: 'SHA-512' }

/** Whether a field is meant for seeds: the field `totp` of the built-in template, or of a template of the site. */
export const isForSeeds = (field: { readonly fieldname: string; readonly encrypted: boolean }): boolean =>
  field.fieldname === 'totp' && field.encrypted

/** 80 bits, the shortest seed that sites issue. It excludes words that happen to be of Base32 letters. */
const fewestLetters = 16

/**
 * The seed in a field for seeds: an `otpauth:` address, or the Base32 text that sites show to people who cannot scan.
 */
export function seedIn(value: string): TotpSeed | undefined {
  const text = value.trim()
  if (/^otpauth:/i.test(text)) return totpSeedOf(text)
  const key = lettersOf(text).length < fewestLetters ? undefined : bytesOf(text)
  return key && { key, hash: 'SHA-1', digits: 6, periodSeconds: 30 }
}

/** The seed in any secret that is an `otpauth://totp/…` address, the content of a site's QR code. */
export function totpSeedOf(secret: string): TotpSeed | undefined {
  if (!/^otpauth:\/\/totp\//i.test(secret) || !URL.canParse(secret)) return undefined
  const { searchParams } = new URL(secret)
  const key = bytesOf(searchParams.get('secret') ?? '')
  const hash = hashes[(searchParams.get('algorithm') ?? 'SHA1').toUpperCase().replace('-', '')]
  const digits = Number(searchParams.get('digits') ?? 6)
  const periodSeconds = Number(searchParams.get('period') ?? 30)
  const isGood =
    [6, 7, 8].includes(digits) && Number.isInteger(periodSeconds) && periodSeconds > 0 && periodSeconds <= 3600
  return key === undefined || hash === undefined || !isGood ? undefined : { key, hash, digits, periodSeconds }
}

/** The code for a moment, in seconds since 1970 (RFC 6238). */
export async function totpCodeAt({ key, hash, digits, periodSeconds }: TotpSeed, seconds: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(seconds / periodSeconds)))
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign'])
  const mac = new DataView(await crypto.subtle.sign('HMAC', hmac, counter))
  // Dynamic truncation (RFC 4226, 5.3): the low four bits of the last byte are the offset of the number.
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf
  const number = mac.getUint32(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Decodes Base32 (RFC 4648) as people write it: in either case, with blanks, without padding. Undefined for other text.
 */
function bytesOf(base32: string): Uint8Array<ArrayBuffer> | undefined {
  const values = Array.from(lettersOf(base32), (letter) => alphabet.indexOf(letter))
  if (values.length < 2 || values.includes(-1)) return undefined
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/**
 * Removes blanks and padding. A loop and not a regular expression, which would take quadratic time on many `=` in the
 * middle of a text.
 */
function lettersOf(base32: string): string {
  const letters = base32.toUpperCase().replaceAll(/[\s-]/g, '')
  let end = letters.length
  while (letters[end - 1] === '=') end -= 1
  return letters.slice(0, end)
}
