/** What an authenticator app makes codes of (RFC 6238). */
export interface TotpSeed {
  readonly key: Uint8Array<ArrayBuffer>
  readonly hash: 'SHA-1' | 'SHA-256' | 'SHA-512'
  readonly digits: number
  readonly periodSeconds: number
}

const hashes: Readonly<Record<string, TotpSeed['hash']>> = { SHA1: 'SHA-1', SHA256: 'SHA-256', SHA512: 'SHA-512' }

/** The seed that a secret holds: an address `otpauth://totp/…`, as QR codes of sites have it. */
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
  const values = Array.from(base32.toUpperCase().replaceAll(/[\s-]|=+$/g, ''), (letter) => alphabet.indexOf(letter))
  if (values.length < 2 || values.includes(-1)) return undefined
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
