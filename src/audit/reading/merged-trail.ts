import { listSegments, readLines, type Segment } from '../segment.ts'
import { createRecordFilter, type RecordCriteria, type RecordFilter } from './record-filter.ts'
import { longestCallMs, seekTime } from './time-seek.ts'
import { eventIn, type ReadRecord } from './trail-record.ts'

/** Records of one chain that wait to be put in order: calls end in another order than they arrive. */
const windowRecords = 1_000

/**
 * The records of all chains of these folders that meet the criteria, in the order of their times. Memory does not grow
 * with the trail: of each chain at most a thousand records wait, and one whose call took longer than a thousand others
 * of its process comes late.
 */
export async function* readMerged(
  directories: readonly string[],
  criteria: RecordCriteria,
): AsyncGenerator<ReadRecord, void> {
  const filter = createRecordFilter(criteria)
  const chains: Ordered[] = []
  for (const directory of directories)
    for (const segments of (await listSegments(directory)).values())
      chains.push(createOrdered(readChain(directory, segments, criteria, filter)))
  try {
    await Promise.all(chains.map((chain) => chain.fill()))
    for (let next = earliest(chains); next !== undefined; next = earliest(chains)) {
      const record = next.take()
      await next.fill()
      if (record !== undefined) yield record
    }
  } finally {
    for (const chain of chains) await chain.close()
  }
}

async function* readChain(
  directory: string,
  segments: readonly Segment[],
  { since, until = Infinity }: RecordCriteria,
  filter: RecordFilter,
): AsyncGenerator<readonly ReadRecord[], void> {
  const from = since === undefined ? { segment: 0, bytes: 0 } : await seekTime(directory, segments, since)
  for (const segment of segments.filter(({ number }) => number >= from.segment)) {
    const reader = await readLines(directory, segment, segment.number === from.segment ? from.bytes : 0)
    try {
      for (let lines = await reader.next(); lines.length > 0; lines = await reader.next()) {
        const events = lines.flatMap((line) => eventIn(line, segment.chain) ?? [])
        yield events.filter(({ record }) => filter(record))
        if ((events[0]?.record.at ?? 0) > until + longestCallMs) return
      }
    } finally {
      await reader.close()
    }
  }
}

/** The records of one chain, the earliest of some first. */
interface Ordered {
  /** The time of the one that `take` would give; undefined where none is left. */
  readonly at: number | undefined
  take(): ReadRecord | undefined
  /** Reads on until enough wait. */
  fill(): Promise<void>
  close(): Promise<void>
}

function createOrdered(source: AsyncGenerator<readonly ReadRecord[], void>): Ordered {
  let waiting: ReadRecord[] = []
  let taken = 0
  let isEnded = false

  return {
    get at() {
      return waiting[taken]?.record.at
    },
    take: () => waiting[taken++],
    async fill() {
      while (!isEnded && waiting.length - taken < windowRecords) {
        const { done, value } = await source.next()
        isEnded = done === true
        if (value === undefined || value.length === 0) continue
        // The sort is stable, and little is out of order.
        waiting = [...waiting.slice(taken), ...value].toSorted((a, b) => a.record.at - b.record.at)
        taken = 0
      }
    },
    close: async () => void (await source.return()),
  }
}

function earliest(chains: readonly Ordered[]): Ordered | undefined {
  let found: Ordered | undefined
  for (const chain of chains)
    if (chain.at !== undefined && (found?.at === undefined || chain.at < found.at)) found = chain
  return found
}
