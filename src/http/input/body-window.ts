import type { IncomingMessage } from 'node:http'
import type { Http2Session, ServerHttp2Stream } from 'node:http2'

/**
 * Bytes of a body that a known caller may have under way over HTTP/2 before the worker has read them. node:http2 grants more when half of it
 * is read: 8 MiB a second at 60 ms from client to worker and back. Everybody else has the 65,535 of RFC 9113 §6.9.2, because what is under way is held in memory.
 */
const windowBytes = 1024 * 1024

const widened = new WeakSet<Http2Session>()

/** For a connection of which a caller is known: bodies then come as fast as the wire carries them. Nothing over HTTP/1.1. */
export function widenBodyWindow(request: IncomingMessage): void {
  const { session } = streamOf(request) ?? {}
  if (session === undefined || session.destroyed || widened.has(session)) return
  widened.add(session)
  // Of the connection, and of each of its streams, this one too.
  session.setLocalWindowSize(windowBytes)
  session.settings({ initialWindowSize: windowBytes })
}

/** What node:http2 adds to a request that it gives the form of node:http. */
const streamOf = (request: IncomingMessage & { readonly stream?: ServerHttp2Stream }): ServerHttp2Stream | undefined =>
  request.stream
