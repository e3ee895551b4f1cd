import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { chunksOfLines, type Segment } from '../segment.ts'
import type { ReadPoint } from '../witness/head-reader.ts'
import { eventIn } from './trail-record.ts'

/**
 * A record is written at the end of its call, but has the time of the call's arrival. This bounds the difference, in
 * milliseconds. Only a client whose time limit is set unreasonably high can exceed it.
 */
export const longestCallMs = 600_000

/** The search ends at a range of at most this many bytes. */
export const closeBytes = 2 ** 20

/** The position from which a chain must be read to find all records since this time. Uses a binary search. */
export async function seekTime(directory: string, segments: readonly Segment[], since: number): Promise<ReadPoint> {
  const before = since - longestCallMs
  // Find the last file that begins before that time; the first file if none does.
  let [low, high] = [0, segments.length]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const segment = segments[middle]
    if (segment !== undefined && isBefore(await timeAt(directory, segment, 0), before)) low = middle
    else high = middle
  }
  const found = segments[low]
  if (found === undefined) return { segment: 0, bytes: 0 }
  return { segment: found.number, bytes: await seekByte(directory, found, before) }
}

/** The returned byte may be within a line, which is then older than `before`. */
async function seekByte(directory: string, segment: Segment, before: number): Promise<number> {
  const { size } = await stat(join(directory, segment.name))
  let [low, high] = [0, size]
  while (high - low > closeBytes) {
    const middle = Math.floor((low + high) / 2)
    if (isBefore(await timeAt(directory, segment, middle), before)) low = middle
    else high = middle
  }
  return low
}

const isBefore = (at: number | undefined, moment: number): boolean => at !== undefined && at < moment

/** The time of the first event after this byte. */
async function timeAt(directory: string, segment: Segment, from: number): Promise<number | undefined> {
  for await (const lines of chunksOfLines(directory, segment, from))
    for (const line of lines) {
      const found = eventIn(line, segment.chain)
      if (found !== undefined) return found.record.at
    }
  return undefined
}
