import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import type { Observation } from '../../monitor/observation.ts'
import { readinessOf, type Readiness } from '../../monitor/readiness.ts'
import { createWorkerTotals, type WorkerTotals } from '../../monitor/worker-totals.ts'
import type { WorkerReport } from '../../monitor/worker-report.ts'
import type { Cluster } from '../cluster.ts'
import { createObserver, type Observer } from './observer.ts'

/** What monitor and warnings see of the appliance: one look for all who ask within a second. */
export interface ApplianceStatus {
  look(): Promise<{ readonly seen: Observation; readonly readiness: Readiness }>
  readonly totals: WorkerTotals
  /** The last that a worker counted. */
  rowCounts(): WorkerReport['rowCounts']
  close(): void
}

export function createApplianceStatus(config: Config, cluster: Pick<Cluster, 'look'>): ApplianceStatus {
  const totals = createWorkerTotals()
  let observer: Observer | undefined
  let rowCounts: WorkerReport['rowCounts']
  return {
    look: remembered(async () => {
      // Not earlier: its connections would start token hosts that systemd starts in an order.
      observer ??= createObserver(config, cluster, systemClock)
      const seen = await observer.look()
      for (const { number, report } of seen.workers) {
        totals.add(number, report)
        rowCounts = report?.rowCounts ?? rowCounts
      }
      return { seen, readiness: readinessOf(seen, config.warnings) }
    }),
    totals,
    rowCounts: () => rowCounts,
    close: () => observer?.close(),
  }
}

/** How long an answer is given again. */
const freshMs = 1_000

/** Does the work at most once in `freshMs`, however many ask and however often. */
export function remembered<T>(work: () => Promise<T>): () => Promise<T> {
  let last: { readonly until: number; readonly result: Promise<T> } | undefined
  return () => {
    if (last === undefined || performance.now() >= last.until) {
      const result = work()
      last = { until: Infinity, result }
      const end = (): void => void (last = { until: performance.now() + freshMs, result })
      result.then(end, end)
    }
    return last.result
  }
}
