import pkcs11 from 'pkcs11js'
import { utcText } from '../../clock.ts'

/** What may repair a failed call of the token. The recovery ladder in `token-link.ts` applies it. */
export type Remedy =
  /** Nothing: the data is bad, the token works. */
  | 'data'
  /** The token lacks the mechanism. */
  | 'unsupported'
  /** A new operation session. */
  | 'session'
  /** Forget the handle and unwrap the key again. */
  | 'handle'
  /** Log in again, which invalidates every handle. */
  | 'login'
  /** C_Finalize and C_Initialize. */
  | 'reinit'
  /** Release handles: the token is full, or the machine. */
  | 'evict'
  /** Nothing, ever: the PIN is refused, and trying again may lock or wipe the token. */
  | 'fatal'

/** The PKCS#11 function that failed, in as much detail as the meaning of its return value depends on. */
export type Call =
  | 'encrypt'
  | 'decrypt'
  | 'sign'
  | 'verify'
  | 'wrap'
  | 'unwrap'
  | 'generate'
  | 'find'
  | 'object'
  | 'random'
  | 'login'
  | 'session'

/**
 * A PKCS#11 call returned a code other than CKR_OK. The message names the call and the code, and never contains data.
 */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure'
  readonly call: Call
  readonly code: number
  readonly remedy: Remedy

  constructor(call: Call, code: number, cause: unknown) {
    super(`${call}: ${nameOfCode(code)}`, { cause })
    this.call = call
    this.code = code
    this.remedy = remedyFor(call, code)
  }
}

/**
 * The token refused the PIN, now or at an earlier login of any process, and the PIN is not tried again. The message is
 * a sentence for the administrator.
 */
export class PinRefused extends TokenFailure {
  /** Time of the refusal, in milliseconds since the Unix epoch. */
  readonly at: number

  constructor(code: number, at: number, cause?: unknown) {
    super('login', code, cause)
    this.at = at
    this.message = `The token refused the PIN at ${utcText(at)} UTC (${nameOfCode(code)}). It is not tried again, so that the token does not lock: correct hsm.pinFile. Where the token has been given this PIN since then, remove refused-pins.sqlite beside hsm.keeper.state.`
  }
}

/** Runs a PKCS#11 call and converts its error to a TokenFailure. Errors of other origin are thrown unchanged. */
export function attempt<T>(call: Call, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = codeOf(error)
    throw code === undefined ? error : new TokenFailure(call, code, error)
  }
}

const namesByCode = new Map<number, string>()
for (const [name, value] of Object.entries(pkcs11)) {
  if (name.startsWith('CKR_') && typeof value === 'number') namesByCode.set(value, name)
}

function nameOfCode(code: number): string {
  return namesByCode.get(code) ?? `CKR 0x${code.toString(16)}`
}

/**
 * The CKR code of an error of pkcs11js; undefined for other errors. Some functions (C_FindObjects, C_CreateObject and
 * others) throw a plain Error with `CKR_NAME:number` in its message. The name is ignored: newer codes are called
 * CKR_VENDOR_DEFINED.
 */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('code' in error && typeof error.code === 'number' && error.code !== 0) return error.code
  const written = /CKR_\w+:(\d+)/.exec(error.message)?.[1]
  return written === undefined ? undefined : Number(written)
}

const remedies = new Map<number, Remedy>([
  ...rows('data', [
    pkcs11.CKR_DATA_INVALID,
    pkcs11.CKR_DATA_LEN_RANGE,
    pkcs11.CKR_ENCRYPTED_DATA_INVALID,
    pkcs11.CKR_ENCRYPTED_DATA_LEN_RANGE,
    pkcs11.CKR_WRAPPED_KEY_INVALID,
    pkcs11.CKR_WRAPPED_KEY_LEN_RANGE,
    pkcs11.CKR_KEY_SIZE_RANGE,
    pkcs11.CKR_KEY_FUNCTION_NOT_PERMITTED,
    pkcs11.CKR_KEY_TYPE_INCONSISTENT,
    pkcs11.CKR_KEY_UNEXTRACTABLE,
    pkcs11.CKR_KEY_NOT_WRAPPABLE,
    pkcs11.CKR_TEMPLATE_INCONSISTENT,
    pkcs11.CKR_TEMPLATE_INCOMPLETE,
  ]),
  ...rows('unsupported', [
    pkcs11.CKR_MECHANISM_INVALID,
    pkcs11.CKR_MECHANISM_PARAM_INVALID,
    pkcs11.CKR_FUNCTION_NOT_SUPPORTED,
  ]),
  ...rows('session', [
    pkcs11.CKR_SESSION_HANDLE_INVALID,
    pkcs11.CKR_SESSION_CLOSED,
    pkcs11.CKR_OPERATION_ACTIVE,
    pkcs11.CKR_OPERATION_NOT_INITIALIZED,
  ]),
  ...rows('handle', [pkcs11.CKR_KEY_HANDLE_INVALID, pkcs11.CKR_OBJECT_HANDLE_INVALID]),
  ...rows('login', [pkcs11.CKR_USER_NOT_LOGGED_IN]),
  ...rows('reinit', [
    pkcs11.CKR_DEVICE_ERROR,
    pkcs11.CKR_DEVICE_REMOVED,
    pkcs11.CKR_TOKEN_NOT_PRESENT,
    pkcs11.CKR_TOKEN_NOT_RECOGNIZED,
    pkcs11.CKR_SLOT_ID_INVALID,
    pkcs11.CKR_CRYPTOKI_NOT_INITIALIZED,
    pkcs11.CKR_WRAPPING_KEY_HANDLE_INVALID,
    pkcs11.CKR_UNWRAPPING_KEY_HANDLE_INVALID,
  ]),
  ...rows('evict', [pkcs11.CKR_HOST_MEMORY, pkcs11.CKR_DEVICE_MEMORY, pkcs11.CKR_SESSION_COUNT]),
  ...rows('fatal', [
    pkcs11.CKR_PIN_INCORRECT,
    pkcs11.CKR_PIN_INVALID,
    pkcs11.CKR_PIN_LEN_RANGE,
    pkcs11.CKR_PIN_EXPIRED,
    pkcs11.CKR_PIN_LOCKED,
  ]),
])

function rows(remedy: Remedy, codes: readonly number[]): [number, Remedy][] {
  return codes.map((code) => [code, remedy])
}

function remedyFor(call: Call, code: number): Remedy {
  const known = remedies.get(code)
  if (known !== undefined) return known
  // SoftHSM2 returns CKR_GENERAL_ERROR for a wrong tag and for a damaged blob. Invalid data from a caller must not look
  // like a failure of the token.
  return call === 'decrypt' || call === 'unwrap' ? 'data' : 'session'
}
