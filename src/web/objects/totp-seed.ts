/** What an authenticator app makes codes of (RFC 6238). */
export interface TotpSeed {
  readonly key: Uint8Array<ArrayBuffer>
  readonly hash: 'SHA-1' | 'SHA-256' | 'SHA-512'
  readonly digits: number
  readonly periodSeconds: number
}

const hashes: Readonly<Record<string, TotpSeed['hash']>> = { SHA1: 'SHA-1', SHA256: 'SHA-256', SHA512: 'SHA-512' }

/** Whether a field is for seeds: that of the built-in template, and those of the site that are called like it. */
export const isForSeeds = (field: { readonly fieldname: string; readonly encrypted: boolean }): boolean =>
  field.fieldname === 'totp' && field.encrypted

/** 80 bits, the shortest that sites give: a word of base32 letters is no seed. */
const fewestLetters = 16

/** What a field for seeds holds: the address, or the seed alone, as sites write it for people who cannot scan. */
export function seedIn(value: string): TotpSeed | undefined {
  const text = value.trim()
  if (/^otpauth:/i.test(text)) return totpSeedOf(text)
  const key = lettersOf(text).length < fewestLetters ? undefined : bytesOf(text)
  return key && { key, hash: 'SHA-1', digits: 6, periodSeconds: 30 }
}

/** The seed that any secret holds: an address `otpauth://totp/…`, as QR codes of sites have it. */
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

/** The code of a moment, in seconds since 1970. */
export async function totpCodeAt({ key, hash, digits, periodSeconds }: TotpSeed, seconds: number): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8))
  counter.setBigUint64(0, BigInt(Math.floor(seconds / periodSeconds)))
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash }, false, ['sign'])
  const mac = new DataView(await crypto.subtle.sign('HMAC', hmac, counter))
  // RFC 4226, 5.3: four bytes, from where the last four bits say, without the sign.
  const offset = mac.getUint8(mac.byteLength - 1) & 0xf
  const number = mac.getUint32(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Base32 (RFC 4648), as people write it: in either case, with blanks, without padding. */
function bytesOf(base32: string): Uint8Array<ArrayBuffer> | undefined {
  const values = Array.from(lettersOf(base32), (letter) => alphabet.indexOf(letter))
  if (values.length < 2 || values.includes(-1)) return undefined
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/** The padding is counted, not matched: a pattern begins anew at each of many signs that are not at the end. */
function lettersOf(base32: string): string {
  const letters = base32.toUpperCase().replaceAll(/[\s-]/g, '')
  let end = letters.length
  while (letters[end - 1] === '=') end -= 1
  return letters.slice(0, end)
}
