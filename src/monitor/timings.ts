/**
 * Upper limits of the buckets, in seconds: from the time of an encryption to that of a call that waited for its token.
 */
export const bucketSeconds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 10] as const

/** The counts of one operation. */
export interface TimingRow {
  /** The labels of the operation, outermost first. */
  readonly labels: readonly string[]
  /** Number of calls by outcome: `allowed` or a fault code. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Number of calls in each bucket, without those of lower buckets. The last number counts calls above all limits. */
  readonly buckets: readonly number[]
  readonly seconds: number
}

/** Counts operations and their durations in one process, at about 0.1 µs per call. */
export interface Timings {
  count(operation: string, outcome: string, milliseconds: number): void
  /** All counts since the start of the process; `outer` precedes the name of each operation. */
  rows(...outer: readonly string[]): TimingRow[]
}

interface Counted {
  readonly outcomes: Map<string, number>
  readonly buckets: number[]
  milliseconds: number
}

export function createTimings(): Timings {
  const counted = new Map<string, Counted>()

  function begin(operation: string): Counted {
    const row = { outcomes: new Map(), buckets: [...bucketSeconds.map(() => 0), 0], milliseconds: 0 }
    counted.set(operation, row)
    return row
  }

  return {
    count(operation, outcome, milliseconds) {
      const row = counted.get(operation) ?? begin(operation)
      row.outcomes.set(outcome, (row.outcomes.get(outcome) ?? 0) + 1)
      row.milliseconds += milliseconds
      const at = bucketOf(milliseconds / 1000)
      row.buckets[at] = (row.buckets[at] ?? 0) + 1
    },
    rows: (...outer) =>
      [...counted].map(([operation, { outcomes, buckets, milliseconds }]) => ({
        labels: [...outer, operation],
        outcomes: Object.fromEntries(outcomes),
        buckets: [...buckets],
        seconds: milliseconds / 1000,
      })),
  }
}

function bucketOf(seconds: number): number {
  let at = 0
  for (const end of bucketSeconds) {
    if (seconds <= end) return at
    at += 1
  }
  return at
}

/** Adds the rows of several processes to one row per operation. */
export function summed(rows: Iterable<TimingRow>): TimingRow[] {
  const sums = new Map<string, TimingRow>()
  for (const row of rows) {
    const name = row.labels.join(' ')
    const before = sums.get(name)
    sums.set(name, before === undefined ? row : added(before, row))
  }
  return [...sums.values()]
}

function added(one: TimingRow, other: TimingRow): TimingRow {
  const outcomes: Record<string, number> = { ...one.outcomes }
  for (const [outcome, count] of Object.entries(other.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count
  return {
    labels: one.labels,
    outcomes,
    buckets: one.buckets.map((count, at) => count + (other.buckets[at] ?? 0)),
    seconds: one.seconds + other.seconds,
  }
}
