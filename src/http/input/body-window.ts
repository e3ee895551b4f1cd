import type { IncomingMessage } from 'node:http'
import type { Http2Session, ServerHttp2Stream } from 'node:http2'

/**
 * The HTTP/2 flow-control window of every stream (RFC 9113 §6.9.2): bytes that a client may send before the worker has
 * read them.
 */
const narrowBytes = 65_535
/**
 * The window while an identified caller sends a larger body. node:http2 grants more when half is read: 8 MiB a second
 * at a round trip of 60 ms.
 */
const wideBytes = 1024 * 1024

/** The number of such bodies per session. */
const underWay = new WeakMap<Http2Session, number>()

/**
 * Widens the window for the body of an identified caller, so that it arrives at full speed. A window applies to all
 * streams of a connection and takes memory, so it stays wide only while such a body arrives. Does nothing over
 * HTTP/1.1, or for few bytes.
 */
export function widenBodyWindow(request: IncomingMessage, bytes: number): void {
  const stream = streamOf(request)
  const { session } = stream ?? {}
  if (stream === undefined || session === undefined || bytes <= narrowBytes) return
  count(session, 1)
  stream.once('close', () => count(session, -1))
}

function count(session: Http2Session, more: 1 | -1): void {
  const before = underWay.get(session) ?? 0
  const now = before + more
  underWay.set(session, now)
  if (session.destroyed || (before > 0 && now > 0)) return
  // The window of the connection, which node:http2 renews at once so that it bounds no memory, and then that of each
  // stream.
  if (now > 0) session.setLocalWindowSize(wideBytes)
  session.settings({ initialWindowSize: now > 0 ? wideBytes : narrowBytes })
}

/** The stream that node:http2 adds to a request in the form of node:http. */
const streamOf = (request: IncomingMessage & { readonly stream?: ServerHttp2Stream }): ServerHttp2Stream | undefined =>
  request.stream
