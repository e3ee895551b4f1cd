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
  /** Whether the answer shall tell what the token told of itself. */
  readonly wantsReading: boolean
}

/** What of a request could be read: enough to know whom to answer, and whether to look further. */
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
/** In no signed value stand the characters that separate the values, so no two requests have one signed text. */
const nameForm = /^[A-Za-z0-9_]{1,32}$/
const valueForm = /^[\w.:-]{0,128}$/

const forms = new Map([
  ['id', clientIdForm],
  ['nonce', nonceForm],
  ['sl', levelForm],
  ['timeout', secondsForm],
  ['h', /^.{0,128}$/],
])

/** Reads a query string, strictly: each parameter once, each in its form. Unknown parameters are signed and not looked at. */
export function readRequest(query: string): ReadRequest {
  const members = [...new URLSearchParams(query)]
  const fitting = new Map(members.filter(([name, value]) => fits(name, value)))
  // Of two values for one name nobody knows which is meant: then none is believed.
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
