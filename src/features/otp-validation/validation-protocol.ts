import { parseOtp, type YubicoOtp } from '../otp/yubico-otp.ts'

/** Requests of the published Yubico validation protocol 2.0: `GET /wsapi/2.0/verify?id=…&otp=…&nonce=…`. */
export interface ValidationRequest {
  /** 16 to 40 letters and digits. */
  readonly nonce: string
  /** As it was sent, for the answer repeats it; undefined where it is missing. */
  readonly otpText: string | undefined
  /** Undefined where `otpText` is no OTP of a hardware token. */
  readonly otp: YubicoOtp | undefined
  /** Base64, as it was sent. */
  readonly signature: string | undefined
  /** What the signature covers. */
  readonly signedText: string
  /** Whether the answer shall hold the fields of the token's block. */
  readonly wantsReading: boolean
}

/** What could be read of a request: enough to know which client to answer, and whether to continue. */
export interface ReadRequest {
  /** Undefined where `id` is missing or no id. */
  readonly clientId: number | undefined
  /** Members that the answer repeats, because the client compares them; only what is well-formed. */
  readonly echo: { readonly otp?: string; readonly nonce?: string }
  /** Undefined where something is missing or malformed. */
  readonly request: ValidationRequest | undefined
}

/** Ids are what `%d` of C writes. */
const clientIdForm = /^[1-9]\d{0,9}$/
const nonceForm = /^[A-Za-z0-9]{16,40}$/
const levelForm = /^(100|\d{1,2}|fast|secure)$/
const secondsForm = /^\d{1,6}$/
/** No signed value holds the characters that separate the values, so no two requests have the same signed text. */
const nameForm = /^[A-Za-z0-9_]{1,32}$/
const valueForm = /^[\w.:-]{0,128}$/

const forms = new Map([
  ['id', clientIdForm],
  ['nonce', nonceForm],
  ['sl', levelForm],
  ['timeout', secondsForm],
  ['h', /^.{0,128}$/],
])

/** Reads a query string strictly: each parameter once, each in its form. Unknown parameters are signed and ignored. */
export function readRequest(query: string): ReadRequest {
  const members = [...new URLSearchParams(query)]
  const fitting = new Map(members.filter(([name, value]) => fits(name, value)))
  // A name with two values is ambiguous: then the whole request is refused.
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

/** What a signature covers: `name=value` of all members but `h`, in the order of their names, joined by `&`. */
export function signedText(members: readonly (readonly [name: string, value: string])[]): string {
  return members
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

const fits = (name: string, value: string): boolean => nameForm.test(name) && (forms.get(name) ?? valueForm).test(value)

/**
 * The status words of the published protocol. NOT_ENOUGH_ANSWERS is never sent: one database decides, without other
 * servers.
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

/** The members of an answer but its signature. `atMs`: milliseconds since the Unix epoch. */
export function answerMembers(status: Status, echo: Members, more: Members, atMs: number): Members {
  return { t: timeText(atMs), ...echo, ...more, status }
}

/** HMAC-SHA-1 (20 bytes) by a client's API key. */
export type Sign = (text: string) => Promise<Buffer>

/**
 * The answer as it is sent. Without a client there is no key to sign with; `h` is empty then, because clients expect
 * the line.
 */
export async function writeAnswer(members: Members, sign: Sign | undefined): Promise<string> {
  const signature = sign === undefined ? '' : (await sign(signedText(Object.entries(members)))).toString('base64')
  const lines = Object.entries({ h: signature, ...members }).map(([name, value]) => `${name}=${value}\r\n`)
  return `${lines.join('')}\r\n`
}

/** As the published service writes it: seconds in ISO 8601, then `Z0` and the milliseconds. */
function timeText(atMs: number): string {
  const [seconds, milliseconds = ''] = new Date(atMs).toISOString().split('.')
  return `${seconds}Z0${milliseconds.slice(0, 3)}`
}
