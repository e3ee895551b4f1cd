import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../fault.ts'
import type { EnvelopeState } from '../contract/envelope.ts'

/** Browsers take it over TLS alone, for this host and no other (RFC 6265bis, "The __Host- Prefix"). */
const cookieName = '__Host-strongroom'
/** Without Max-Age: it goes when the browser is closed. */
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'
/** Before the token: what a cookie holds has not the form of a token, so that neither is taken for the other. */
const mark = 'cookie.'

/**
 * The token in the session's cookie; empty for what is none. Or why the cookie is not taken: another page than one of the
 * appliance may have sent it. Undefined without one.
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
  // A browser has one of this name; who slips another in must not choose between two sessions.
  if (others.length > 0) return new Fault('request.invalid', `The cookie ${cookieName} is there twice: send one.`)
  return value.startsWith(mark) ? value.slice(mark.length) : ''
}

/**
 * Whether a script of the appliance's own pages has sent this. Sec-Fetch-Site is the browser's word, which no page can
 * write (Fetch Metadata); the other header makes the browser ask the appliance first when it is not (CORS), and that never
 * allows it.
 */
export const isOwnPage = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-site'] === 'same-origin' && headers['x-strongroom-console'] === '1'

/** Hands the token for the next call to the browser, and to no script. */
export function putCookie(envelope: EnvelopeState, token: string): void {
  envelope.answerHeaders = { 'Set-Cookie': `${cookieName}=${mark}${token}; ${attributes}` }
}

const emptied = { 'Set-Cookie': `${cookieName}=; ${attributes}; Max-Age=0` }

/** Of a call by cookie whose session is over. */
export function takeCookieBack(envelope: EnvelopeState): void {
  if (typeof envelope.cookie === 'string') envelope.answerHeaders = emptied
}

/**
 * The same after a logout: nothing that the browser kept of the appliance stays. Without "cookies", which would take those of
 * all hosts of the registered domain (measured in Chromium), and without "cache": answers of calls are in none, and browsers
 * hold the answer back for seconds while they clear it.
 */
export function takeAllBack(envelope: EnvelopeState): void {
  if (typeof envelope.cookie === 'string') envelope.answerHeaders = { ...emptied, 'Clear-Site-Data': '"storage"' }
}
