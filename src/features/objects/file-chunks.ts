/** A multiple of 3, so that the base64 of the chunks put together is the base64 of the file. */
export const chunkBytes = 192 * 1024

export interface Chunk {
  readonly bytes: Buffer
  readonly place: number
  readonly isLast: boolean
}

/** Every chunk but the last is full; whether one is the last is known when the next one begins, or nothing follows. */
export async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  let place = 0
  let filling = Buffer.allocUnsafe(chunkBytes)
  let filled = 0
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      if (filled === chunkBytes) {
        yield { bytes: filling, place: place++, isLast: false }
        filling = Buffer.allocUnsafe(chunkBytes)
        filled = 0
      }
      const copied = piece.copy(filling, filled, at)
      filled += copied
      at += copied
    }
  }
  if (filled > 0) yield { bytes: filling.subarray(0, filled), place, isLast: true }
}

/** Chunks that go through the token and into the database together. */
export async function* inBatches(chunks: AsyncIterable<Chunk>, batchChunks: number): AsyncGenerator<Chunk[]> {
  let batch: Chunk[] = []
  for await (const chunk of chunks) {
    batch.push(chunk)
    if (batch.length < batchChunks) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
