import type { TrailState } from '../audit/trail-state.ts'
import type { TimingRow } from './timings.ts'

/** What a process takes of the machine. */
export interface ProcessUsage {
  /** In bytes. */
  readonly memory: Readonly<Record<'rss' | 'heap_used' | 'heap_total' | 'external', number>>
  readonly cpuSeconds: number
}

/** What a worker tells the monitor of itself. */
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
  /** Since the report before: in seconds, by percentile. */
  readonly eventLoopDelay: Readonly<Record<string, number>>
  /** Where it was asked for them. */
  readonly rowCounts?: RowCounts | undefined
}

/** What lies in the database, the same for all workers; each at most as much as is counted (`row-counts.ts`). */
export type RowCounts = Readonly<Record<'openSessions' | 'wornTokens' | 'usedUpVersions', number>>
