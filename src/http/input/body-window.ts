import type { IncomingMessage } from 'node:http'
import type { Http2Session, ServerHttp2Stream } from 'node:http2'

/** Bytes of a body under way over HTTP/2 that a worker has not read yet, for every stream (RFC 9113 §6.9.2). */
const narrowBytes = 65_535
/** The same while a known caller sends a larger body. node:http2 grants more when half is read: 8 MiB a second at a round trip of 60 ms. */
const wideBytes = 1024 * 1024

/** How many such bodies are under way. */
const underWay = new WeakMap<Http2Session, number>()

/**
 * Has the body of a known caller come as fast as the wire carries it. A window is of all streams of a connection, and is held in memory:
 * it is wide for as long as such a body is under way. Nothing over HTTP/1.1, or for `bytes` that need no wider one.
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
  // Of the connection, which node:http2 grants anew at once and so bounds no memory, and of each stream.
  if (now > 0) session.setLocalWindowSize(wideBytes)
  session.settings({ initialWindowSize: now > 0 ? wideBytes : narrowBytes })
}

/** What node:http2 adds to a request that it gives the form of node:http. */
const streamOf = (request: IncomingMessage & { readonly stream?: ServerHttp2Stream }): ServerHttp2Stream | undefined =>
  request.stream
