import { errorCatalogue } from './api.ts'

/**
 * A code of the appliance's error catalogue. `unknown` stands for a code of a newer release. The last three are errors
 * of the client.
 */
export type ErrorCode = keyof typeof errorCatalogue | 'unknown' | 'network' | 'timeout' | 'protocol'

export interface ErrorDetails {
  readonly code: ErrorCode
  readonly number?: number | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** The error of every failed call, except a cancelled one, which throws the reason of its signal. */
export class StrongroomError extends Error {
  override readonly name: string = 'StrongroomError'
  readonly code: ErrorCode
  /** Number in the appliance's error catalogue; undefined where no appliance answered. */
  readonly number: number | undefined
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined
  /** The X-Request-Id header of the answer. A proxy may have set it. */
  readonly requestId: string | undefined
  /** Milliseconds after which the call may be repeated. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { code, number, status, requestId, retryAfterMs, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.number = number
    this.status = status
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** The login was refused, or the session has ended and the client has no login. */
export class AuthenticationError extends StrongroomError {
  override readonly name = 'AuthenticationError'
}
/** The caller may not make this call. */
export class PermissionError extends StrongroomError {
  override readonly name = 'PermissionError'
}
/** The resource does not exist, or is not shared with the caller. */
export class NotFoundError extends StrongroomError {
  override readonly name = 'NotFoundError'
}
/** The present state does not allow the call. */
export class ConflictError extends StrongroomError {
  override readonly name = 'ConflictError'
}
/** Too many calls: `retryAfterMs` says how long to wait. */
export class ThrottledError extends StrongroomError {
  override readonly name = 'ThrottledError'
}
/** The appliance, its token or its database is unavailable. */
export class UnavailableError extends StrongroomError {
  override readonly name = 'UnavailableError'
}
/** No answer arrived: no connection, or a timeout. The call may or may not have taken effect. */
export class NetworkError extends StrongroomError {
  override readonly name = 'NetworkError'
}
/** The answer is not one of the appliance: it was cut off, or a proxy wrote it. */
export class ProtocolError extends StrongroomError {
  override readonly name = 'ProtocolError'
}

const codes: ReadonlyMap<number, { readonly code: string; readonly status: number }> = new Map(
  Object.entries(errorCatalogue).map(([code, { number, status }]) => [number, { code, status }]),
)

/**
 * Errors about the caller's identity, although their status is 403 or 400: session.invalid, login.refused,
 * login.type_disabled.
 */
const ofAuthentication: readonly (number | undefined)[] = [1200, 1201, 1203]

/**
 * The error with a number of the catalogue. An item of a batch has no status of its own; it gets that of the catalogue.
 */
export function applianceError(
  message: string,
  { number, status, ...rest }: Omit<ErrorDetails, 'code'>,
): StrongroomError {
  const known = number === undefined ? undefined : codes.get(number)
  const details = {
    ...rest,
    number,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- keys of the catalogue
    code: (known?.code ?? 'unknown') as ErrorCode,
    status: status ?? known?.status,
  }
  return new (classOf(number, details.status))(message, details)
}

function classOf(number: number | undefined, status: number | undefined): typeof StrongroomError {
  if (ofAuthentication.includes(number)) return AuthenticationError
  switch (status) {
    case 401:
      return AuthenticationError
    case 403:
      return PermissionError
    case 404:
      return NotFoundError
    case 409:
      return ConflictError
    case 429:
      return ThrottledError
    case 503:
      return UnavailableError
    default:
      return StrongroomError
  }
}
