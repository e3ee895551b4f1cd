/** The seed of an entry's one-time codes, and the fields that contain it. */
export interface FoundSeed {
  /** An `otpauth:` address. */
  readonly totp: string
  readonly fields: readonly string[]
}

type Fields = ReadonlyMap<string, string>

/**
 * Finds a seed in the formats of KeePassXC, KeeOTP, KeePass and KeeTrayTOTP. HOTP and Steam codes are not supported.
 */
export const seedAmong = (fields: Fields): FoundSeed | undefined =>
  ofAddress(fields) ?? ofKeeOtp(fields) ?? ofKeePass(fields) ?? ofTray(fields)

function ofAddress(fields: Fields): FoundSeed | undefined {
  const totp = fields.get('otp')?.trim() ?? ''
  return /^otpauth:\/\/totp\//i.test(totp) ? { totp, fields: ['otp'] } : undefined
}

/** The format of KeeOTP: `key=BASE32&step=30&size=6`. */
function ofKeeOtp(fields: Fields): FoundSeed | undefined {
  const said = new URLSearchParams(fields.get('otp') ?? '')
  const [secret, type, encoding] = ['key', 'type', 'encoding'].map((name) => said.get(name)?.toLowerCase() ?? '')
  if (
    secret === undefined ||
    secret === '' ||
    !['', 'totp'].includes(type ?? '') ||
    !['', 'base32'].includes(encoding ?? '')
  )
    return undefined
  const [digits, period, hash] = [said.get('size'), said.get('step'), said.get('otpHashMode')]
  return { totp: addressOf(secret, digits, period, hash), fields: ['otp'] }
}

const encodings: Readonly<Record<string, (text: string) => Uint8Array | undefined>> = {
  'TimeOtp-Secret': (text) => new TextEncoder().encode(text),
  'TimeOtp-Secret-Hex': (text) =>
    /^(?:[\da-f]{2})+$/i.test(text)
      ? Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
      : undefined,
  'TimeOtp-Secret-Base64': (text) =>
    /^[\d+/a-z]+={0,2}$/i.test(text) && text.length % 4 === 0
      ? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
      : undefined,
}

function ofKeePass(fields: Fields): FoundSeed | undefined {
  const rest = ['TimeOtp-Length', 'TimeOtp-Period', 'TimeOtp-Algorithm']
  const [digits, period, hash] = rest.map((name) => fields.get(name))
  const found = (name: string, secret: string): FoundSeed => ({
    totp: addressOf(secret, digits, period, hash?.replace(/^HMAC-/i, '')),
    fields: [name, ...rest],
  })
  const base32 = fields.get('TimeOtp-Secret-Base32')
  if (base32 !== undefined) return found('TimeOtp-Secret-Base32', base32)
  for (const [name, decode] of Object.entries(encodings)) {
    const key = decode(fields.get(name)?.trim() ?? '')
    if (key !== undefined && key.length > 0) return found(name, base32Of(key))
  }
  return undefined
}

/** The format of KeeTrayTOTP: settings `30;6` are seconds, and digits or `S` for Steam. */
function ofTray(fields: Fields): FoundSeed | undefined {
  const [secret, settings = '30;6'] = [fields.get('TOTP Seed'), fields.get('TOTP Settings')]
  const [, period, digits] = /^(\d+);(\d+)(?:;|$)/.exec(settings) ?? []
  if (secret === undefined || digits === undefined) return undefined
  return { totp: addressOf(secret, digits, period, undefined), fields: ['TOTP Seed', 'TOTP Settings'] }
}

type Given = string | null | undefined

function addressOf(secret: string, digits: Given, period: Given, hash: Given): string {
  const said = { digits, period, algorithm: hash?.toUpperCase().replaceAll('-', '') }
  const members = Object.entries(said).filter((one): one is [string, string] => typeof one[1] === 'string')
  const key = secret.replaceAll(/[\s-]/g, '').toUpperCase()
  return `otpauth://totp/KeePass?${new URLSearchParams([['secret', key], ...members]).toString()}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes in Base32 (RFC 4648) without padding. */
function base32Of(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)] ?? '').join('')
}
