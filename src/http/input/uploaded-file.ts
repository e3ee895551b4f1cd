import type { Readable } from 'node:stream'
import type { StorageEngine } from '@koa/multer'
import { isLonger } from '../../encoding/text-length.ts'
import { Fault } from '../../fault.ts'
import type { UploadedFile } from '../contract/endpoint.ts'
import type { HeldBody } from './body-budget.ts'
import { isPlainText } from './members.ts'

const maxFilenameLength = 255

export interface FileStorage extends StorageEngine {
  /** Resolves when the file exceeds the memory limit. */
  readonly outgrown: Promise<undefined>
  /** Files whose parts have no file name. */
  readonly nameless: WeakSet<Readable>
  file(): UploadedFile | undefined
}

export interface KeptFile {
  /**
   * A file up to this size is held in memory, so that fields may follow it; a larger one is passed on as it arrives.
   */
  readonly keptBytes: number
  readonly held: HeldBody | undefined
}

/**
 * Holds the beginning of the file in memory and then stops reading: back-pressure keeps the rest on the wire until the
 * caller was authenticated and authorized and the operation reads it.
 */
export function createStorage(end: () => Promise<Fault | undefined>, limits: KeptFile): FileStorage {
  const nameless = new WeakSet<Readable>()
  let file: UploadedFile | undefined
  let outgrow: (nothing: undefined) => void
  const outgrown = new Promise<undefined>((resolve) => (outgrow = resolve))

  return {
    outgrown,
    nameless,
    file: () => file,
    _handleFile(_request, { stream, originalname, mimetype }, stored) {
      // multer waits for the end of a file that exceeds its limit.
      stream.once('limit', () => stream.destroy(new Error('the file is too large')))
      const take = async (): Promise<void> => {
        const filename = nameless.has(stream) ? '' : checkedFilename(originalname)
        const pieces: AsyncIterableIterator<Buffer> = stream[Symbol.asyncIterator]()
        const { start, isWhole } = await startOf(pieces, limits)
        file = createFile(filename, mimetype, async function* () {
          yield* start
          if (!isWhole) yield* restOf(pieces, stored, end)
        })
        if (isWhole) stored(null)
        else outgrow(undefined)
      }
      take().catch(stored)
    },
    // The parts of a refused form are only in memory: nothing to remove.
    _removeFile: (_request, _file, removed) => removed(null),
  }
}

async function startOf(
  pieces: AsyncIterator<Buffer>,
  { keptBytes, held }: KeptFile,
): Promise<{ start: readonly Buffer[]; isWhole: boolean }> {
  const start: Buffer[] = []
  for (let size = 0; size <= keptBytes;) {
    const next = await pieces.next()
    if (next.done === true) return { start, isWhole: true }
    start.push(next.value)
    held?.take(next.value.length)
    size += next.value.length
  }
  return { start, isWhole: false }
}

/** The rest of the file as it arrives. Nothing may follow it in the form. */
async function* restOf(
  pieces: AsyncIterable<Buffer>,
  stored: (error: unknown) => void,
  end: () => Promise<Fault | undefined>,
): AsyncGenerator<Buffer> {
  try {
    for await (const piece of pieces) yield piece
  } catch {
    // The reason is the form's, which is known once it has ended.
    throw (await end()) ?? new Fault('request.not_form', 'The file ended too early: send it again.')
  }
  stored(null)
  const fault = await end()
  if (fault) throw fault
}

function createFile(filename: string, mimeType: string, content: () => AsyncIterable<Buffer>): UploadedFile {
  return {
    filename,
    mimeType,
    content,
    async bytes(maxBytes) {
      const pieces: Buffer[] = []
      let size = 0
      for await (const piece of content()) {
        size += piece.length
        if (size > maxBytes) throw new Fault('request.too_large', `This file must have ${maxBytes} bytes at most.`)
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
  }
}

function checkedFilename(filename: string): string {
  if (!isPlainText(filename) || /\p{Cc}/u.test(filename) || isLonger(filename, maxFilenameLength))
    throw new Fault(
      'request.invalid',
      `The name of the file must have ${maxFilenameLength} characters at most, and no control characters.`,
    )
  return filename
}
