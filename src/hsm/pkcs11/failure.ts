import pkcs11 from 'pkcs11js'
import { utcText } from '../../clock.ts'

/** What may repair a failed call of the token; the rungs of the recovery ladder in `token-link.ts`. */
export type Remedy =
  /** Nothing: the data is bad, the token works. */
  | 'data'
  /** The token lacks the mechanism. */
  | 'unsupported'
  /** A new operation session. */
  | 'session'
  /** Forget this handle and unwrap the key again. */
  | 'handle'
  /** Log in again, which makes every handle void. */
  | 'login'
  /** Finalize and initialize. */
  | 'reinit'
  /** Release handles: the token is full. */
  | 'evict'
  /** Nothing, ever: the PIN is refused, and trying again may lock or wipe the token. */
  | 'fatal'

/** The PKCS#11 function that failed, as far as the meaning of its return value depends on it. */
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

/** A PKCS#11 call that returned anything but CKR_OK. The message names the call and the code, never data. */
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

/** The token refused the PIN, now or at an earlier try of any process: it is not tried again. The message is a sentence. */
export class PinRefused extends TokenFailure {
  /** When it was tried, in milliseconds since the Unix epoch. */
  readonly at: number

  constructor(code: number, at: number, cause?: unknown) {
    super('login', code, cause)
    this.at = at
    this.message = `The token refused the PIN at ${utcText(at)} UTC (${nameOfCode(code)}). It is not tried again, so that the token does not lock: correct hsm.pinFile. Where the token has been given this PIN since then, remove refused-pins.sqlite beside hsm.keeper.state.`
  }
}

/**
 * Runs one PKCS#11 call and turns what it throws into a TokenFailure; errors that are not the token's pass unchanged.
 */
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
 * The CKR in an error of pkcs11js. Some of its functions (C_FindObjects, C_CreateObject, …) throw a plain Error with
 * `CKR_NAME:number` in its message, and newer codes appear under the name CKR_VENDOR_DEFINED: so the number counts.
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
  ...rows('evict', [pkcs11.CKR_DEVICE_MEMORY, pkcs11.CKR_SESSION_COUNT]),
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
  // SoftHSM2 says CKR_GENERAL_ERROR for a wrong tag and for a damaged blob: garbage from a caller must not look like a
  // broken token.
  return call === 'decrypt' || call === 'unwrap' ? 'data' : 'session'
}
