import type { IncomingMessage } from 'node:http'

/** Memory of a waiting call, without its headers and body (measured: a stream of HTTP/2, Node.js 20). */
const bareCallBytes = 11 * 1024

/** Memory per byte of headers (measured: 14 KB of headers take 23 KB). */
const perHeaderByte = 1.6

/**
 * Bytes of memory that a call takes besides its body. A client may have thousands under way, each with long headers.
 * Whether a header list is too long for HTTP/2 is another sum (`headerListBytes`).
 */
export function callBytes({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  const headers = rawHeaders.reduce((sum, { length }) => sum + length, 0)
  return bareCallBytes + Math.ceil(headers * perHeaderByte)
}
