import { isPublicId } from './yubico-otp.ts'

/** The content of one line of a log. `unusable` gives the reason, and repeats nothing that may be part of a secret. */
export type LogLine =
  | { readonly kind: 'hwkey_otp'; readonly publicId: string; readonly privateId: Buffer; readonly secret: Buffer }
  | { readonly kind: 'hotp'; readonly seed: Buffer; readonly counter: number; readonly digits: number }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unusable'; readonly why: string }

/** Events that Yubico's personalisation tool logs and that register no device. */
const otherEvents =
  /^(LOGGING START|Static Password|Challenge-Response|Configuration (Update|Swap)|Unknown programming mode)/
const usualDigits = 6
/** The "Yubico format" does not tell these two apart. */
const nameless =
  'it may be of a challenge-response key, or of an OATH-HOTP token without a name, which strongroom otp enroll --hotp --seed-file takes'

/**
 * Parses one line of a device log. Three formats are in use: `publicid,privateid,secret` with any text around it, as
 * `ykman otp yubiotp --config-output` and the "Yubico format" of the personalisation tool write it (after a serial
 * number); the same tool's "traditional format", whose first field is the event; and its two lines for OATH-HOTP.
 */
export function readLogLine(line: string): LogLine {
  const fields = line.split(',').map((field) => field.trim())
  const [first = ''] = fields
  if (line.trim() === '' || first.startsWith('#') || otherEvents.test(first)) return { kind: 'nothing' }
  if (first === 'OATH-HOTP') return hotpEvent(fields)
  const at = fields.findIndex(isPublicId)
  if (isSeed(fields[3]) && /^\d{1,10}$/.test(fields[2] ?? ''))
    return fields[1] === '' ? unusable(nameless) : hotpLine(fields[3] ?? '', fields[2], usualDigits)
  if (at < 0) return unusable('it holds no public id of 12 modhex characters')
  const privateId = hexOf(fields[at + 1], 6)
  if (privateId === undefined) return unusable('its private id must have 12 hexadecimal digits')
  const secret = hexOf(fields[at + 2], 16)
  if (secret === undefined) return unusable('its AES key must have 32 hexadecimal digits')
  return { kind: 'hwkey_otp', publicId: fields[at] ?? '', privateId, secret }
}

/** Fields are counted from the end, because the local date in the second field may contain commas. */
function hotpEvent(fields: readonly string[]): LogLine {
  const seed = fields.at(-13)
  if (!isSeed(seed)) return unusable('its seed must have 40 hexadecimal digits')
  return hotpLine(seed, fields.at(-6), Number(fields.at(-7)))
}

function hotpLine(seed: string, counter: string | undefined, digits: number): LogLine {
  return { kind: 'hotp', seed: Buffer.from(seed, 'hex'), counter: Number(counter), digits }
}

const isSeed = (text: string | undefined): text is string => text !== undefined && /^[0-9a-f]{40}$/i.test(text)

function hexOf(text: string | undefined, bytes: number): Buffer | undefined {
  const digits = text?.replaceAll(/\s/g, '') ?? ''
  return digits.length === bytes * 2 && /^[0-9a-f]*$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined
}

const unusable = (why: string): LogLine => ({ kind: 'unusable', why })
