import { createRecordFilter, type RecordCriteria, type RecordFilter } from './record-filter.ts'
import { longestCallMs } from './time-seek.ts'
import { eventIn, type ReadRecord } from './trail-record.ts'
import { chainsIn, linesOfChain, type OnMissing, type TrailFolders } from './whole-chain.ts'

/**
 * Number of records of one chain that are read ahead and sorted, because calls end in another order than they arrive.
 */
const windowRecords = 1_000

/**
 * The records of all chains of these trails that meet the criteria, ordered by time, with bounded memory. At most about
 * 1 000 records of each chain wait. A record comes late if a thousand later calls of its process ended before its own.
 */
export async function* readMerged(
  trails: readonly TrailFolders[],
  criteria: RecordCriteria,
  onMissing: OnMissing,
): AsyncGenerator<ReadRecord, void> {
  const filter = createRecordFilter(criteria)
  const chains: Ordered[] = []
  for (const trail of trails)
    for (const chain of await chainsIn(trail)) {
      const lines = linesOfChain(trail, chain, criteria.since, onMissing)
      chains.push(createOrdered(readChain(lines, chain, criteria, filter)))
    }
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
  chunks: AsyncIterable<readonly Buffer[]>,
  chain: string,
  { until = Infinity }: RecordCriteria,
  filter: RecordFilter,
): AsyncGenerator<readonly ReadRecord[], void> {
  for await (const lines of chunks) {
    const events = lines.flatMap((line) => eventIn(line, chain) ?? [])
    yield events.filter(({ record }) => filter(record))
    if ((events[0]?.record.at ?? 0) > until + longestCallMs) return
  }
}

/** The records of one chain, sorted by time within a window. */
interface Ordered {
  /** The time of the next record; undefined if none is left. */
  readonly at: number | undefined
  take(): ReadRecord | undefined
  /** Reads until the window is full. */
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
        // Few records are out of order, and the sort is stable.
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
