import { bytesOf, type Bytes } from './base64.ts'
import { ProtocolError } from './errors.ts'
import type { Key } from './key.ts'
import { untilAborted } from './retry.ts'
import { open, seal } from './segments.ts'

/** Streams and files of Node.js, bodies of `fetch`, and any other source of pieces of bytes. */
export type Source = AsyncIterable<Uint8Array> | Iterable<Uint8Array> | ReadableStream<Uint8Array>

export interface StreamOptions {
  /** Additional data that is authenticated but not stored. Decryption needs the same data. */
  readonly aad?: Bytes
  readonly signal?: AbortSignal
  readonly keyVersion?: number
}

/** The first bytes of every encrypted stream. Another format would begin with SRS2. */
const magic = new TextEncoder().encode('SRS1')
const lengthBytes = 2

type StreamKey = Pick<Key, 'dataKey' | 'decrypt'>

/**
 * Encrypts a stream of any length with a new data key. Format: `SRS1`, 2 bytes length of the encrypted data key, that
 * key, and the segments (segments.ts).
 */
export function encryptStream(key: StreamKey, source: Source, options: StreamOptions = {}): ReadableStream<Uint8Array> {
  const { aad = '', signal, keyVersion } = options
  async function* encrypted(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    // Read before the call for the data key: an error of the source that nothing listens to ends a program of Node.js.
    const { value: first = new Uint8Array() } = await pieces.next()
    const made = await key.dataKey({
      bits: 256,
      aad,
      ...(signal === undefined ? {} : { signal }),
      ...(keyVersion === undefined ? {} : { keyVersion }),
    })
    if (made.plaintext === undefined)
      throw new ProtocolError('The data key came without its bytes.', { code: 'protocol' })
    yield writeHead(made.ciphertext)
    yield* seal(made.plaintext, bytesOf(aad), after(first, pieces))
  }
  return streamOf(source, signal, encrypted)
}

/**
 * Decrypts a stream of `encryptStream`. Each piece of output is genuine, but the output is complete only if the stream
 * ends without an error: do not use it before.
 */
export function decryptStream(key: StreamKey, source: Source, options: StreamOptions = {}): ReadableStream<Uint8Array> {
  const { aad = '', signal } = options
  async function* decrypted(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { ciphertext, rest } = await readHead(pieces)
    const dataKey = await key.decrypt(ciphertext, { aad, ...(signal === undefined ? {} : { signal }) })
    yield* open(new Uint8Array(dataKey), bytesOf(aad), after(rest, pieces))
  }
  return streamOf(source, signal, decrypted)
}

function writeHead(ciphertext: string): Uint8Array {
  const text = new TextEncoder().encode(ciphertext)
  const head = new Uint8Array(magic.length + lengthBytes + text.length)
  head.set(magic)
  new DataView(head.buffer).setUint16(magic.length, text.length)
  head.set(text, magic.length + lengthBytes)
  return head
}

async function readHead(pieces: AsyncIterator<Uint8Array>): Promise<{ ciphertext: string; rest: Uint8Array }> {
  let read = new Uint8Array()
  const readTo = async (length: number): Promise<void> => {
    while (read.length < length) {
      const { value, done } = await pieces.next()
      if (done === true) throw new RangeError('This is not a stream that was encrypted here, or not all of it.')
      const longer = new Uint8Array(read.length + value.length)
      longer.set(read)
      longer.set(value, read.length)
      read = longer
    }
  }
  const before = magic.length + lengthBytes
  await readTo(before)
  if (magic.some((byte, at) => read[at] !== byte)) throw new RangeError('This is not a stream that was encrypted here.')
  const end = before + new DataView(read.buffer).getUint16(magic.length)
  await readTo(end)
  return { ciphertext: new TextDecoder().decode(read.subarray(before, end)), rest: read.subarray(end) }
}

async function* after(first: Uint8Array, others: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* others
}

/** @throws TypeError for pieces that are not bytes: those that have no length would be left out */
async function* piecesOf(
  source: Source,
  signal: AbortSignal | undefined,
  cancelled: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterable<unknown> | Iterable<unknown> = 'getReader' in source ? readOf(source, cancelled) : source
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    if (!ArrayBuffer.isView(piece))
      throw new TypeError(`A stream takes pieces of bytes (Uint8Array), and not of the type ${typeof piece}.`)
    yield new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
  }
}

/** Reads streams with a reader, because not all browsers can iterate over them. */
async function* readOf(source: ReadableStream<Uint8Array>, cancelled: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = source.getReader()
  const end = (): Promise<void> => reader.cancel().catch(() => undefined)
  cancelled.addEventListener('abort', () => void end())
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await end()
  }
}

/** The stream of what `work` makes of the source. However it ends, the source ends with it and closes its file. */
function streamOf(
  source: Source,
  signal: AbortSignal | undefined,
  work: (pieces: AsyncGenerator<Uint8Array>) => AsyncGenerator<Uint8Array>,
): ReadableStream<Uint8Array> {
  const cancellation = new AbortController()
  const pieces = piecesOf(source, signal, cancellation.signal)
  const made = work(pieces)
  const stop = async (): Promise<void> => {
    // The source is ended first: it may be silent, and the generators wait for its next piece.
    cancellation.abort()
    await end(source)
    await made.return(undefined)
    await pieces.return(undefined)
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await untilAborted(made.next(), signal)
          if (done === true) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          // Not awaited after an abort: a source that cannot be ended may be silent for ever.
          if (signal?.aborted) stop().catch(() => undefined)
          else await pieces.return(undefined)
          throw error
        }
      },
      cancel: stop,
    },
    // Nothing is read before the consumer asks for it.
    { highWaterMark: 0 },
  )
}

/** Ends a source, but for one that has a reader, which ends it. Streams of Node.js have `destroy`. */
async function end(source: Source): Promise<void> {
  if ('getReader' in source) return source.locked ? undefined : source.cancel()
  if ('destroy' in source && typeof source.destroy === 'function') source.destroy()
}
