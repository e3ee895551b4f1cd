import { seqOfLine } from '../line.ts'
import { chunksOfLines, type Segment } from '../segment.ts'
import { eventIn } from '../reading/trail-record.ts'

/**
 * The first files of a chain whose records are all older than `before`. The last file is never among them, because it
 * is still written. All returned files end before `sealedSeq`, so that the remaining chain has a seal.
 */
export async function olderFiles(
  directory: string,
  segments: readonly Segment[],
  before: number,
  sealedSeq: number,
): Promise<Segment[]> {
  const older: Segment[] = []
  for (const segment of segments.slice(0, -1)) {
    const end = await endOf(directory, segment, before)
    if (end === undefined || end >= sealedSeq) break
    older.push(segment)
  }
  return older
}

/** The last sequence number in a file; undefined if one of its records is not older than `before`. */
async function endOf(directory: string, segment: Segment, before: number): Promise<number | undefined> {
  let last = 0
  for await (const lines of chunksOfLines(directory, segment))
    for (const line of lines) {
      const event = eventIn(line, segment.chain)
      if (event !== undefined && event.record.at >= before) return undefined
      last = seqOfLine(line) ?? last
    }
  return last
}
