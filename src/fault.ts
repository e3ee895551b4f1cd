/**
 * The codes of all faults. A code names the event in domain terms; only `http/contract/faults.ts` maps it to an HTTP
 * status and an ERRORCODES number.
 */
export const faultCodes = [
  'session.invalid',
  'session.not_found',
  'session.cookie',
  'login.refused',
  'login.throttled',
  'login.type_disabled',
  'login.busy',
  'access.capability',
  'access.permission',
  'access.resting',
  'access.confirmation',
  'access.used_up',
  'vault.not_found',
  'vault.policy_unknown',
  'vault.not_empty',
  'vault.last_admin',
  'vault.member_exists',
  'vault.member_unknown',
  'vault.has_admin',
  'vault.member_awake',
  'vault.has_confirmer',
  'key.not_found',
  'key.exists',
  'key.type_unknown',
  'key.version_unknown',
  'key.exhausted',
  'key.tampered',
  'key.wrong_type',
  'key.version_disabled',
  'key.flag_off',
  'key.residency',
  'key.delete_forbidden',
  'key.export_forbidden',
  'key.backup_forbidden',
  'key.versions',
  'key.token_full',
  'backup.invalid',
  'backup.foreign',
  'import.invalid',
  'import.no_job',
  'signature.malformed',
  'ciphertext.malformed',
  'ciphertext.invalid',
  'template.not_found',
  'template.exists',
  'template.in_use',
  'template.frozen',
  'object.not_found',
  'object.invalid',
  'object.parent_unknown',
  'object.not_empty',
  'object.tampered',
  'object.key_exhausted',
  'object.no_file',
  'object.busy',
  'object.changed',
  'passphrase.refused',
  'user.not_found',
  'user.exists',
  'user.invalid',
  'service.not_found',
  'service.invalid',
  'service.credential_unknown',
  'link.not_found',
  'link.invalid',
  'link.limit',
  'link.disabled',
  'otp.device_exists',
  'otp.device_limit',
  'otp.device_invalid',
  'otp.device_not_found',
  'otp.resync_failed',
  'passkey.invalid',
  'passkey.exists',
  'passkey.limit',
  'passkey.make_refused',
  'passkey.not_found',
  'user.last_factor',
  'apikey.not_found',
  'certificate.not_found',
  'certificate.invalid',
  'certificate.taken',
  'certificate.none',
  'certificate.forwarded',
  'request.not_json',
  'request.not_found',
  'request.method',
  'request.too_large',
  'request.invalid',
  'request.expect',
  'request.length_required',
  'request.timeout',
  'request.encoding',
  'request.header_too_large',
  'request.uri_too_long',
  'request.plain_http',
  'request.not_form',
  'request.too_many',
  'request.quota',
  'hsm.unavailable',
  'hsm.sealed',
  'hsm.rejected',
  'hsm.seal_broken',
  'hsm.outdated',
  'hsm.unsupported',
  'store.unavailable',
  'store.conflict',
  'audit.unavailable',
  'appliance.stopping',
  'appliance.busy',
  'internal',
] as const

export type FaultCode = (typeof faultCodes)[number]

export interface FaultOptions {
  /** The underlying error. It goes to the journal and never to the caller. */
  readonly cause?: unknown
  /** Time after which a retry may succeed, in milliseconds from now. */
  readonly retryAfterMs?: number
}

/**
 * An error that is reported to the caller. `detail` is one sentence that tells the caller what to do; it contains no
 * secret.
 */
export class Fault extends Error {
  readonly code: FaultCode
  readonly detail: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: FaultCode, detail?: string, options: FaultOptions = {}) {
    super(detail ?? code, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.detail = detail
    this.retryAfterMs = options.retryAfterMs
  }
}

/** True if `error` is a Fault with this code. Callers use it to replace one fault by another. */
export function isFault(error: unknown, code: FaultCode): error is Fault {
  return error instanceof Fault && error.code === code
}

/** The fault that is reported for an error: `internal` if it is none. */
export function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error })
}

/** The code of an error of the system (`ENOSPC`), of Node (`ERR_OSSL…`) or of a driver; undefined if it has none. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
