import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'

/** The HTTP/1.1 connection or HTTP/2 session of a call. */
export interface Transport {
  destroy(): void
}

export function transportOf(request: IncomingMessage | Http2ServerRequest): Transport {
  // A stream without a session has ended already.
  return 'stream' in request ? (request.stream.session ?? request.stream) : request.socket
}
