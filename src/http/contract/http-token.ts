import { sessionTokenForm } from '../../access/session-token-form.ts'
import { Fault } from '../../fault.ts'

/** The session token of a call: a header takes precedence, then the query, then the body, then the session cookie. */
export interface SuppliedToken {
  /** The token as it was supplied in a header, query or body. */
  suppliedToken?: string
  /**
   * The token in the session cookie, or the fault for which the cookie is refused. No body of an answer contains it.
   */
  cookie?: string | Fault
  /** Set where the headers have different tokens, either of which could be meant. */
  readonly hasTwoTokens?: true
}

/** The token in `X-Http-Token` or `Authorization: Bearer`. */
export function tokenInHeaders(headers: Readonly<Record<string, unknown>>): SuppliedToken {
  const own = headers['x-http-token']
  const bearer = bearerToken(headers['authorization'])
  // Node.js or a proxy joins the values of a header that is there more than once. A proxy may have repeated it.
  const values = [...(typeof own === 'string' ? own.split(',').map((value) => value.trim()) : []), bearer ?? '']
  const [token, another] = new Set(values.filter((value) => value !== ''))
  return {
    ...(token === undefined ? {} : { suppliedToken: token }),
    ...(another === undefined ? {} : { hasTwoTokens: true }),
  }
}

/**
 * The token of a header `Authorization: Bearer` (RFC 6750 §2.1; the scheme in any case, RFC 9110 §11.1). A text without
 * the form of a session token is meant for a gateway in front, and ignored.
 */
function bearerToken(authorization: unknown): string | undefined {
  const token = typeof authorization === 'string' ? /^bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined
  return token !== undefined && sessionTokenForm.test(token) ? token : undefined
}

/** @throws Fault `request.invalid` */
export function refuseTwoTokens(state: SuppliedToken): void {
  if (state.hasTwoTokens === undefined) return
  // The audit record names no caller, since either token could be meant.
  delete state.suppliedToken
  throw new Fault('request.invalid', 'The headers have two session tokens: send one of them.')
}

/** The token that the caller has shown so far. */
export const shownToken = ({ suppliedToken, cookie }: SuppliedToken): string | undefined =>
  suppliedToken ?? (typeof cookie === 'string' ? cookie : undefined)

/** A token behind a large file has not arrived when it is needed: its client would log in again in vain. */
const tokenOfUpload =
  'The call has no session token: send it in the header X-Http-Token, or in a form in a field before the file.'

/** @throws Fault `session.invalid`, `session.cookie`, `request.invalid` */
export function neededToken({ suppliedToken, cookie }: SuppliedToken, isUpload = false): string {
  const token = suppliedToken ?? cookie
  if (typeof token === 'string') return token
  throw token ?? new Fault('session.invalid', isUpload ? tokenOfUpload : undefined)
}
