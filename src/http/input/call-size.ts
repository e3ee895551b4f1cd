import type { IncomingMessage } from 'node:http'

/** What a worker holds of a call while it waits, beside its headers and its body (measured: a stream of HTTP/2, Node.js 20). */
const bareCallBytes = 11 * 1024

/** What is held of each byte of its headers (measured: 14 KB of them take 23 KB). */
const perHeaderByte = 1.6

/** Bytes that a call takes beside its body: a client may have thousands in hand, each with long headers. */
export function callBytes({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): number {
  const headers = rawHeaders.reduce((sum, { length }) => sum + length, 0)
  return bareCallBytes + Math.ceil(headers * perHeaderByte)
}
