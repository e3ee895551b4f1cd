import type { IncomingMessage } from 'node:http'

export interface ResponseBounds {
  /** The name of the server in errors. */
  readonly server: string
  readonly mostBytes: number
}

/** The body of a response of status 200. @throws RangeError for another status, and for a longer body */
export async function readResponse(response: IncomingMessage, bounds: ResponseBounds): Promise<Buffer> {
  if (response.statusCode !== 200) {
    response.destroy()
    throw new RangeError(`${bounds.server} answered with status ${response.statusCode}`)
  }
  return readBounded(response, bounds)
}

/** Reads a whole body into memory. @throws RangeError if it has more than `mostBytes` bytes */
export async function readBounded(
  body: AsyncIterable<Uint8Array>,
  { server, mostBytes }: ResponseBounds,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > mostBytes) throw new RangeError(`the answer of ${server} is too long`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
