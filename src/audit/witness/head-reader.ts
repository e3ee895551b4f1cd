import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sealIn } from '../seal.ts'
import { chunksOfLines, listSegments, type Segment } from '../segment.ts'
import type { SignedHead } from './signed-head.ts'

/** The position up to which a chain was read: the number of a file, and the byte in it. */
export interface ReadPoint {
  readonly segment: number
  readonly bytes: number
}

export type ReadPoints = Readonly<Record<string, ReadPoint>>

/**
 * Most heads of one chain that wait. Each covers all records before it, so the newest suffice. This bounds the memory
 * after a witness was unreachable for long; the trail itself is the queue.
 */
const keptHeads = 1_000

/** The heads that were signed after `points`, in the order of each chain, and the new positions. */
export async function readHeads(
  directory: string,
  points: ReadPoints,
): Promise<{ heads: SignedHead[]; points: ReadPoints }> {
  const heads: SignedHead[] = []
  const reached: Record<string, ReadPoint> = { ...points }
  for (const [chain, segments] of await listSegments(directory)) {
    const from = await pointIn(directory, segments, points[chain])
    const found: SignedHead[] = []
    for (const segment of segments.filter(({ number }) => number >= from.segment)) {
      const start = segment.number === from.segment ? from.bytes : 0
      const bytes = await readSegment(directory, segment, start, (head) => found.push(head))
      if (found.length > keptHeads) found.splice(0, found.length - keptHeads)
      reached[chain] = { segment: segment.number, bytes }
    }
    heads.push(...found)
  }
  return { heads, points: reached }
}

const start: ReadPoint = { segment: 0, bytes: 0 }

/**
 * Where to read on in a chain. A point beyond its end is not believed, or nothing would be read for good: the trail was put
 * back, or code in a worker wrote the point. The chain is then read from its start.
 */
export async function pointIn(
  directory: string,
  segments: readonly Segment[],
  point: ReadPoint = start,
): Promise<ReadPoint> {
  const [last] = segments.slice(-1)
  const reached = segments.find(({ number }) => number === point.segment)
  const size = reached === undefined ? 0 : (await stat(join(directory, reached.name))).size
  const isBeyond = point.segment > (last?.number ?? 0) || (reached !== undefined && point.bytes > size)
  return isBeyond ? start : point
}

/** Resolves to the position after the last whole line. */
async function readSegment(
  directory: string,
  segment: Segment,
  from: number,
  found: (head: SignedHead) => void,
): Promise<number> {
  let bytes = from
  for await (const lines of chunksOfLines(directory, segment, from))
    for (const raw of lines) {
      if (raw.at(-1) !== 10) return bytes
      bytes += raw.length
      const head = raw.includes('"type":"seal"') ? headOf(raw) : undefined
      if (head !== undefined) found(head)
    }
  return bytes
}

function headOf(raw: Buffer): SignedHead | undefined {
  const seal = sealIn(raw.toString('latin1', 0, raw.length - 1))
  if (seal === undefined) return undefined
  const { chain, at, covers, key } = seal.statement
  return { chain, seq: covers.seq, hash: covers.hash, at, key, signature: seal.signature.toString('base64') }
}
