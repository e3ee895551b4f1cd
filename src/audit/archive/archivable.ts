import { seqOfLine } from '../line.ts'
import { chunksOfLines, type Segment } from '../segment.ts'
import { eventIn } from '../reading/trail-record.ts'

/**
 * The first files of a chain whose records are all older than a moment; never the last, which is still written. The chain
 * goes on behind them, sealed: `sealedSeq` is beyond the last record of those that are taken.
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

/** The last number in a file; undefined where one of its records is not older than the moment. */
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
