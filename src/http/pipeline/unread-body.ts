import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'koa'

/**
 * How long a client may go on sending a body that is not read. Closing at once would make the kernel reset the connection,
 * and the client could lose the answer that tells it why (RFC 9112, 9.6).
 */
const lingerMs = 1_000

/**
 * Answers a request whose body was not read to its end: the answer goes out at once; the rest of the body is discarded as it
 * comes, but not for long. Over HTTP/1.1 the connection ends with it, because the rest would be read as the next request.
 */
export function endAfterAnswer(context: Context, answer: string): void {
  const { req } = context
  if ('stream' in req) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what node:http2 gives Koa for a request
    return discard(req, req.stream as Http2Stream)
  }
  context.set('Connection', 'close')
  context.body = Readable.from(answerAndDiscard(req, Buffer.from(answer)), { objectMode: false })
  context.length = Buffer.byteLength(answer)
}

interface Http2Stream {
  close(errorCode: number): void
  once(event: 'close', listener: () => void): void
}

/** RFC 9113, 7: "the endpoint no longer needs the stream". */
const cancelled = 0x8

function discard(request: IncomingMessage, stream: Http2Stream): void {
  const timer = setTimeout(() => stream.close(cancelled), lingerMs)
  stream.once('close', () => clearTimeout(timer))
  request.resume()
}

async function* answerAndDiscard(request: IncomingMessage, answer: Buffer): AsyncGenerator<Buffer> {
  const waiting = new AbortController()
  const { signal } = waiting
  const ends = ['end', 'close', 'error'].map((event) => once(request, event, { signal }))
  yield answer
  request.resume()
  await Promise.race([...ends, sleep(lingerMs, undefined, { signal })]).catch(() => undefined)
  waiting.abort()
}
