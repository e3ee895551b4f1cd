import type { IncomingMessage } from 'node:http'

export interface ResponseBounds {
  /** The name of the server in errors. */
  readonly server: string
  readonly mostBytes: number
}

/** The body of a response of status 200. @throws RangeError for another status, and for a longer body */
export async function readResponse(response: IncomingMessage, { server, mostBytes }: ResponseBounds): Promise<Buffer> {
  if (response.statusCode !== 200) {
    response.destroy()
    throw new RangeError(`${server} answered with status ${response.statusCode}`)
  }
  return readBounded(response, mostBytes, () => new RangeError(`the answer of ${server} is too long`))
}

/** Reads a whole stream into memory. @throws what `tooLong` makes if it has more than `mostBytes` bytes */
export async function readBounded(
  stream: AsyncIterable<Uint8Array>,
  mostBytes: number,
  tooLong: () => Error,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > mostBytes) throw tooLong()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
