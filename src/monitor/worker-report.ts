import type { TrailState } from '../audit/trail-state.ts'
import type { TimingRow } from './timings.ts'

/** The memory and CPU time of a process. */
export interface ProcessUsage {
  /** In bytes. */
  readonly memory: Readonly<Record<'rss' | 'heap_used' | 'heap_total' | 'external', number>>
  readonly cpuSeconds: number
}

/** The report of a worker to the monitor. */
export interface WorkerReport extends ProcessUsage {
  readonly pid: number
  /** By operation. */
  readonly calls: readonly TimingRow[]
  /** By process (`host`, `keeper`) and operation. */
  readonly tokenCalls: readonly TimingRow[]
  /** Requests to keeper and token hosts that have no answer yet. */
  readonly tokenQueue: number
  readonly trail: TrailState
  readonly isDatabaseReached: boolean
  /** Of the interface, as clients are shown it. */
  readonly certificate: {
    /** In milliseconds since the Unix epoch; the earliest of the chain. */
    readonly end: number
    /** Whether the last reload found one that cannot be used. */
    readonly isNewRefused: boolean
  }
  /** Event-loop delays since the previous report, in seconds, by percentile. */
  readonly eventLoopDelay: Readonly<Record<string, number>>
  /** Set if the primary asked for them. */
  readonly rowCounts?: RowCounts | undefined
}

/** Counts of rows in the database, which are the same for all workers. Counting stops at a limit (`row-counts.ts`). */
export type RowCounts = Readonly<Record<'openSessions' | 'wornTokens' | 'usedUpVersions', number>>
