import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { maxLineBytes } from './line.ts'

/** A file of a chain. */
export interface Segment {
  readonly chain: string
  /** 1 for the first file. */
  readonly number: number
  /** The file's name in the directory. */
  readonly name: string
}

const segmentName = /^([a-z][a-z0-9-]{0,31})\.([0-9]{6,9})\.jsonl$/
/** The number of a file that none follows. Code in a worker may make one. */
export const lastSegment = 999_999_999

export function segmentOf(chain: string, number: number): Segment {
  return { chain, number, name: `${chain}.${String(number).padStart(6, '0')}.jsonl` }
}

/** The files of each chain in `directory`, in order. Rejects with the errors of `readdir`. */
export async function listSegments(directory: string): Promise<Map<string, Segment[]>> {
  const chains = new Map<string, Segment[]>()
  for (const name of await readdir(directory)) {
    const [, chain, digits] = segmentName.exec(name) ?? []
    if (chain === undefined) continue
    const segments = chains.get(chain) ?? []
    segments.push({ chain, number: Number(digits), name })
    chains.set(chain, segments)
  }
  for (const segments of chains.values()) segments.sort((a, b) => a.number - b.number)
  return chains
}

export interface LineReader {
  /**
   * The next whole lines, each with its newline; empty if no whole line is left before the end seen at the last `look`.
   */
  next(): Promise<Buffer[]>
  /** Whether bytes without a newline follow the last whole line. */
  readonly partial: boolean
  /**
   * Reads the current size of the file. Between calls the end is fixed, because a reader that followed a busy writer
   * would never finish.
   */
  look(): Promise<void>
  close(): Promise<void>
}

const chunkBytes = 64 * 1024

/**
 * Reads a file, which may be growing, in chunks from the byte `from` on, with bounded memory. A piece longer than the
 * longest line counts as a line.
 */
export async function readLines(directory: string, segment: Segment, from = 0): Promise<LineReader> {
  const handle = await open(join(directory, segment.name), 'r')
  let chunk = Buffer.allocUnsafe(chunkBytes)
  let offset = from
  let partial = false
  let { size } = await handle.stat()

  async function next(): Promise<Buffer[]> {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, Math.max(0, size - offset)), offset)
    const end = chunk.lastIndexOf(10, bytesRead - 1) + 1
    partial = bytesRead > 0 && end === 0
    if (bytesRead === 0) return []
    if (end === 0 && bytesRead < chunk.length) return []
    if (end === 0 && chunk.length < maxLineBytes) {
      chunk = Buffer.allocUnsafe(maxLineBytes)
      return next()
    }
    const lines = split(chunk.subarray(0, end === 0 ? bytesRead : end))
    offset += end === 0 ? bytesRead : end
    return lines
  }

  return {
    next,
    get partial() {
      return partial
    },
    async look() {
      size = (await handle.stat()).size
    },
    close: () => handle.close(),
  }
}

/**
 * The whole lines of a file from the byte `from` up to its current end, in chunks. A chunk is valid until the next one
 * is requested.
 */
export async function* chunksOfLines(
  directory: string,
  segment: Segment,
  from = 0,
): AsyncGenerator<readonly Buffer[], void> {
  yield* chunksOf(await readLines(directory, segment, from))
}

/** The same for a file that is already open; closes it at the end. */
export async function* chunksOf(reader: LineReader): AsyncGenerator<readonly Buffer[], void> {
  try {
    for (let lines = await reader.next(); lines.length > 0; lines = await reader.next()) yield lines
  } finally {
    await reader.close()
  }
}

function split(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < chunk.length;) {
    const newline = chunk.indexOf(10, start)
    const end = newline === -1 ? chunk.length : newline + 1
    lines.push(chunk.subarray(start, end))
    start = end
  }
  return lines
}
