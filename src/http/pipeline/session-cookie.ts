import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../fault.ts'
import type { EnvelopeState } from '../contract/envelope.ts'

/** The prefix makes browsers accept it only over TLS and for this host (RFC 6265bis, "The __Host- Prefix"). */
const cookieName = '__Host-strongroom'
/** Without Max-Age: the browser deletes it when it is closed. */
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
/** Stands before the token in a cookie, so that a cookie value never has the form of a token. */
const mark = 'cookie.'

/**
 * The token in the session cookie; empty for a malformed cookie; undefined without one; or the fault for which the
 * cookie is refused, because a page of another origin may have sent it.
 */
export function readCookie(headers: IncomingHttpHeaders): string | Fault | undefined {
  const { cookie } = headers
  if (cookie === undefined || !cookie.includes(cookieName)) return undefined
  const start = `${cookieName}=`
  const [value, ...others] = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
  if (value === undefined) return undefined
  if (!isOwnPage(headers)) return new Fault('session.cookie')
  // A browser has one cookie of this name. Whoever injects a second one must not choose between two sessions.
  if (others.length > 0) return new Fault('request.invalid', `The cookie ${cookieName} is there twice: send one.`)
  return value.startsWith(mark) ? value.slice(mark.length) : ''
}

/**
 * Whether a script of the appliance's own pages made this request. Sec-Fetch-Site is set by the browser, and no page
 * can set it (Fetch Metadata). The other header makes the browser ask the appliance first for cross-origin requests
 * (CORS), which is never allowed.
 */
export const isOwnPage = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-site'] === 'same-origin' && headers['x-strongroom-console'] === '1'

/** Puts the next token into a cookie, which no script can read. */
export function putCookie(envelope: EnvelopeState, token: string): void {
  envelope.answerHeaders = { 'Set-Cookie': `${cookieName}=${mark}${token}; ${attributes}` }
}

const emptied = { 'Set-Cookie': `${cookieName}=; ${attributes}; Max-Age=0` }

/** Deletes the cookie of a session that has ended. */
export function takeCookieBack(envelope: EnvelopeState): void {
  if (typeof envelope.cookie === 'string') envelope.answerHeaders = emptied
}

/**
 * After a logout: deletes all that the browser stored for the appliance. Not "cookies", which would delete those of all
 * hosts of the registered domain (measured in Chromium), and not "cache": answers are never cached, and clearing it
 * delays the answer by seconds.
 */
export function takeAllBack(envelope: EnvelopeState): void {
  if (typeof envelope.cookie === 'string') envelope.answerHeaders = { ...emptied, 'Clear-Site-Data': '"storage"' }
}
