import { parseOtp, type YubicoOtp } from '../otp/yubico-otp.ts'

/** A request of the Yubico validation protocol 2.0: `GET /wsapi/2.0/verify?id=…&otp=…&nonce=…`. */
export interface ValidationRequest {
  /** 16 to 40 letters and digits. */
  readonly nonce: string
  /** As it was sent, because the answer repeats it; undefined where it is missing. */
  readonly otpText: string | undefined
  /** Undefined where `otpText` does not have the form of a hardware token's OTP. */
  readonly otp: YubicoOtp | undefined
  /** Base64, as it was sent. */
  readonly signature: string | undefined
  /** The text that the signature covers. */
  readonly signedText: string
  /** Whether the answer has to contain the fields of the decrypted OTP (`timestamp=1`). */
  readonly wantsReading: boolean
}

/** The parsed part of a request: enough to sign an answer for the client, and to decide whether to continue. */
export interface ReadRequest {
  /** Undefined where `id` is missing or malformed. */
  readonly clientId: number | undefined
  /** The members that the answer repeats, because clients compare them; only well-formed ones. */
  readonly echo: { readonly otp?: string; readonly nonce?: string }
  /** Undefined where something is missing or malformed. */
  readonly request: ValidationRequest | undefined
}

/** The form of an id, as printed by `%d` in C. */
const clientIdForm = /^[1-9]\d{0,9}$/
const nonceForm = /^[A-Za-z0-9]{16,40}$/
const levelForm = /^(100|\d{1,2}|fast|secure)$/
const secondsForm = /^\d{1,6}$/
/** Excludes the characters that separate values in the signed text, so that two requests never have the same one. */
const nameForm = /^[A-Za-z0-9_]{1,32}$/
const valueForm = /^[\w.:-]{0,128}$/

const forms = new Map([
  ['id', clientIdForm],
  ['nonce', nonceForm],
  ['sl', levelForm],
  ['timeout', secondsForm],
  ['h', /^.{0,128}$/],
])

/** Parses a query string strictly: each parameter once and well-formed. Unknown parameters are ignored, but signed. */
export function readRequest(query: string): ReadRequest {
  const members = [...new URLSearchParams(query)]
  const fitting = new Map(members.filter(([name, value]) => fits(name, value)))
  // A repeated name is ambiguous, so that the whole request is refused.
  if (new Map(members).size < members.length) return { clientId: undefined, echo: {}, request: undefined }
  const id = fitting.get('id')
  const nonce = fitting.get('nonce')
  const otpText = fitting.get('otp') || undefined
  const clientId = id === undefined ? undefined : Number(id)
  const complete = fitting.size === members.length && clientId !== undefined && nonce !== undefined
  return {
    clientId,
    echo: { ...(otpText === undefined ? {} : { otp: otpText }), ...(nonce === undefined ? {} : { nonce }) },
    request: complete
      ? {
          nonce,
          otpText,
          otp: otpText === undefined ? undefined : parseOtp(otpText),
          signature: fitting.get('h'),
          signedText: signedText(members.filter(([name]) => name !== 'h')),
          wantsReading: fitting.get('timestamp') === '1',
        }
      : undefined,
  }
}

/** The text that a signature covers: `name=value` of all members except `h`, sorted by name and joined by `&`. */
function signedText(members: readonly (readonly [name: string, value: string])[]): string {
  return members
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

const fits = (name: string, value: string): boolean => nameForm.test(name) && (forms.get(name) ?? valueForm).test(value)

/**
 * The status words of the protocol. NOT_ENOUGH_ANSWERS is never sent, because one database decides and no other servers
 * are asked.
 */
export type Status =
  | 'OK'
  | 'BAD_OTP'
  | 'REPLAYED_OTP'
  | 'REPLAYED_REQUEST'
  | 'BAD_SIGNATURE'
  | 'MISSING_PARAMETER'
  | 'NO_SUCH_CLIENT'
  | 'OPERATION_NOT_ALLOWED'
  | 'BACKEND_ERROR'

export type Members = Readonly<Record<string, string>>

/** The members of an answer without its signature. `atMs`: milliseconds since the Unix epoch. */
export function answerMembers(status: Status, echo: Members, more: Members, atMs: number): Members {
  return { t: timeText(atMs), ...echo, ...more, status }
}

/** HMAC-SHA-1 (20 bytes) with a client's API key. */
export type Sign = (text: string) => Promise<Buffer>

/**
 * The text of the answer. Without a client there is no key to sign with: `h` is empty then, because clients expect the
 * line.
 */
export async function writeAnswer(members: Members, sign: Sign | undefined): Promise<string> {
  const signature = sign === undefined ? '' : (await sign(signedText(Object.entries(members)))).toString('base64')
  const lines = Object.entries({ h: signature, ...members }).map(([name, value]) => `${name}=${value}\r\n`)
  return `${lines.join('')}\r\n`
}

/** The time as the published service writes it: ISO 8601 in seconds, then `Z0` and three digits of milliseconds. */
function timeText(atMs: number): string {
  const [seconds, milliseconds = ''] = new Date(atMs).toISOString().split('.')
  return `${seconds}Z0${milliseconds.slice(0, 3)}`
}
