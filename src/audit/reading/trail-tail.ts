import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { chunksOfLines, listSegments, type Segment } from '../segment.ts'
import type { ReadPoint, ReadPoints } from '../witness/head-reader.ts'
import { eventIn, type ReadRecord } from './trail-record.ts'

/** What was written behind some points of a trail, in the order of time, and up to where that was read. */
export interface TrailNews {
  readonly records: readonly ReadRecord[]
  readonly points: ReadPoints
}

/**
 * Reads on from the points, at most about so many bytes, of each chain its share: a chain with much to read keeps no
 * other waiting. A chain without a point is read from its start.
 */
export async function readOn(directory: string, points: ReadPoints, mostBytes: number): Promise<TrailNews> {
  // The list comes first: what is in a file before the last is whole by then.
  const chains = await listSegments(directory)
  const share = mostBytes / Math.max(1, chains.size)
  const records: ReadRecord[] = []
  const reached: Record<string, ReadPoint> = { ...points }
  for (const [chain, segments] of chains)
    reached[chain] = await readChainOn(directory, segments, points[chain] ?? { segment: 0, bytes: 0 }, share, records)
  return { records: records.toSorted((a, b) => a.record.at - b.record.at), points: reached }
}

async function readChainOn(
  directory: string,
  segments: readonly Segment[],
  from: ReadPoint,
  share: number,
  records: ReadRecord[],
): Promise<ReadPoint> {
  let [point, left] = [from, share]
  for (const segment of segments.filter(({ number }) => number >= from.segment)) {
    let bytes = segment.number === from.segment ? from.bytes : 0
    for await (const lines of chunksOfLines(directory, segment, bytes)) {
      for (const line of lines) {
        if (line.at(-1) !== 10) break
        bytes += line.length
        left -= line.length
        const found = eventIn(line, segment.chain)
        if (found !== undefined) records.push(found)
      }
      if (left <= 0) break
    }
    point = { segment: segment.number, bytes }
    if (left <= 0) break
  }
  return point
}

/** Where all chains end now. */
export async function endOfTrail(directory: string): Promise<ReadPoints> {
  const points: Record<string, ReadPoint> = {}
  for (const [chain, segments] of await listSegments(directory)) {
    const last = segments.at(-1)
    if (last !== undefined)
      points[chain] = { segment: last.number, bytes: (await stat(join(directory, last.name))).size }
  }
  return points
}
