import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { RateLimit } from '../rate-limit.ts'
import type { Validator } from '../validator.ts'

type Request = IncomingMessage | Http2ServerRequest
type Response = ServerResponse | Http2ServerResponse

const path = '/wsapi/2.0/verify'
/** Longest URL in characters: three times that of a request with every parameter. */
const maxUrlLength = 1_024

/**
 * `GET /wsapi/2.0/verify` (Yubico validation protocol 2.0) and nothing else. The answers have no envelope, because
 * clients of that protocol expect its own format.
 */
export function createVerifyHandler(
  validator: Validator,
  rateLimit: RateLimit,
  clientAddress: (request: Request) => string,
) {
  return async (request: Request, response: Response): Promise<void> => {
    const address = clientAddress(request)
    const url = request.url ?? ''
    if (!rateLimit.allows(address))
      return send(response, 429, 'Too many requests from this address.', { 'Retry-After': '1' })
    if (url.length > maxUrlLength) return send(response, 414, `An address has ${maxUrlLength} characters at most.`)
    const { requested, query } = divided(url)
    if (requested !== path) return send(response, 404, `There is only GET ${path} here.`)
    if (request.method !== 'GET') return send(response, 405, `There is only GET ${path} here.`, { Allow: 'GET' })
    const { text, requestId } = await validator.verify(query, address)
    return send(response, 200, text, { 'X-Request-Id': requestId })
  }
}

function divided(url: string): { readonly requested: string; readonly query: string } {
  const at = url.indexOf('?')
  return at < 0 ? { requested: url, query: '' } : { requested: url.slice(0, at), query: url.slice(at + 1) }
}

function send(response: Response, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void {
  // The server may have answered already, by refusing a body that arrived too slowly.
  if (response.headersSent) return
  response.statusCode = status
  for (const [name, value] of Object.entries({ ...fixedHeaders, ...headers })) response.setHeader(name, value)
  response.end(status === 200 ? text : `${text}\r\n`)
}

const fixedHeaders = {
  'Content-Type': 'text/plain; charset=us-ascii',
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
} as const
