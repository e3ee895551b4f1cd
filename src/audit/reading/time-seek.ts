import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { chunksOfLines, type Segment } from '../segment.ts'
import type { ReadPoint } from '../witness/head-reader.ts'
import { eventIn } from './trail-record.ts'

/**
 * A record has the time at which its call arrived, and stands in its chain where it was written. No call takes
 * longer, other than one whose client is let take more time than any setting should give it.
 */
export const longestCallMs = 600_000

/** How close to the moment a byte is found. */
export const closeBytes = 2 ** 20

/** From where on a chain has to be read to find all that arrived since this moment; by halves, not from the start. */
export async function seekTime(directory: string, segments: readonly Segment[], since: number): Promise<ReadPoint> {
  const before = since - longestCallMs
  // The last file that begins before the moment; the first where none does.
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

/** The byte is perhaps within a line, which is then older. */
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

/** When the first event behind this byte arrived. */
async function timeAt(directory: string, segment: Segment, from: number): Promise<number | undefined> {
  for await (const lines of chunksOfLines(directory, segment, from))
    for (const line of lines) {
      const found = eventIn(line, segment.chain)
      if (found !== undefined) return found.record.at
    }
  return undefined
}
