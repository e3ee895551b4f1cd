import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { chunksOfLines, listSegments, type Segment } from '../segment.ts'
import { pointIn, type ReadPoint, type ReadPoints } from '../witness/head-reader.ts'
import { eventIn, type ReadRecord } from './trail-record.ts'

/** New records of a trail, ordered by time, and the positions up to which they were read. */
export interface TrailNews {
  readonly records: readonly ReadRecord[]
  readonly points: ReadPoints
}

/**
 * Reads from the given points on, at most about `mostBytes` bytes. Each chain gets an equal share, so that a long one
 * does not delay the others. A chain without a point is read from its start.
 */
export async function readOn(directory: string, points: ReadPoints, mostBytes: number): Promise<TrailNews> {
  // Listed first, so that every file but the last is complete when it is read.
  const chains = await listSegments(directory)
  const share = mostBytes / Math.max(1, chains.size)
  const records: ReadRecord[] = []
  const reached: Record<string, ReadPoint> = { ...points }
  for (const [chain, segments] of chains)
    reached[chain] = await readChainOn(
      directory,
      segments,
      await pointIn(directory, segments, points[chain]),
      share,
      records,
    )
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

/** The current ends of all chains. */
export async function endOfTrail(directory: string): Promise<ReadPoints> {
  const points: Record<string, ReadPoint> = {}
  for (const [chain, segments] of await listSegments(directory)) {
    const last = segments.at(-1)
    if (last !== undefined)
      points[chain] = { segment: last.number, bytes: (await stat(join(directory, last.name))).size }
  }
  return points
}
