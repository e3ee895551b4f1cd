import { errorCatalogue } from './api.ts'

/** An error of the appliance's catalogue; `unknown` is one of a newer release; the others are the client's own. */
export type ErrorCode = keyof typeof errorCatalogue | 'unknown' | 'network' | 'timeout' | 'protocol'

export interface ErrorDetails {
  readonly code: ErrorCode
  readonly number?: number | undefined
  readonly status?: number | undefined
  readonly requestId?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** What every failed call throws, but for a call that its caller cancelled: that throws the reason of the signal. */
export class StrongroomError extends Error {
  override readonly name: string = 'StrongroomError'
  readonly code: ErrorCode
  /** Number of the appliance's catalogue; undefined where no appliance answered. */
  readonly number: number | undefined
  /** HTTP status; undefined where nothing answered. */
  readonly status: number | undefined
  /** The header X-Request-Id of the answer, which a proxy in front may give. */
  readonly requestId: string | undefined
  /** How long the appliance asks to wait. */
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

/** The login was refused, or the session has ended and the client has no login of its own. */
export class AuthenticationError extends StrongroomError {
  override readonly name = 'AuthenticationError'
}
/** The caller may not do this. */
export class PermissionError extends StrongroomError {
  override readonly name = 'PermissionError'
}
/** There is no such thing, or it is not shared with the caller. */
export class NotFoundError extends StrongroomError {
  override readonly name = 'NotFoundError'
}
/** The state of things does not allow the call. */
export class ConflictError extends StrongroomError {
  override readonly name = 'ConflictError'
}
/** Too many calls: `retryAfterMs` says when the next may come. */
export class ThrottledError extends StrongroomError {
  override readonly name = 'ThrottledError'
}
/** The appliance, its token or its database cannot serve at this moment. */
export class UnavailableError extends StrongroomError {
  override readonly name = 'UnavailableError'
}
/** No answer came: no connection, or none in time. Whether the call took effect is not known. */
export class NetworkError extends StrongroomError {
  override readonly name = 'NetworkError'
}
/** What came is no answer of the appliance: it was cut, or a proxy in between wrote it. */
export class ProtocolError extends StrongroomError {
  override readonly name = 'ProtocolError'
}

const codes: ReadonlyMap<number, { readonly code: string; readonly status: number }> = new Map(
  Object.entries(errorCatalogue).map(([code, { number, status }]) => [number, { code, status }]),
)

/** 403, and yet about who calls and not about what is allowed: session.invalid, login.refused, login.type_disabled. */
const ofAuthentication: readonly (number | undefined)[] = [1200, 1201, 1203]

/** The error with this number; its status comes from the catalogue where an item of a batch failed by itself. */
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
