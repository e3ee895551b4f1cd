import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import type { Observation } from '../../monitor/observation.ts'
import { readinessOf, type Readiness } from '../../monitor/readiness.ts'
import { createWorkerTotals, type WorkerTotals } from '../../monitor/worker-totals.ts'
import type { WorkerReport } from '../../monitor/worker-report.ts'
import type { Cluster } from '../cluster.ts'
import { createObserver, type Observer } from './observer.ts'

/** The state of the appliance for monitor and warnings. All who ask within a second share one observation. */
export interface ApplianceStatus {
  look(): Promise<{ readonly seen: Observation; readonly readiness: Readiness }>
  readonly totals: WorkerTotals
  /** The counts that a worker reported last. */
  rowCounts(): WorkerReport['rowCounts']
  close(): void
}

export function createApplianceStatus(config: Config, cluster: Pick<Cluster, 'look'>): ApplianceStatus {
  const totals = createWorkerTotals()
  let observer: Observer | undefined
  let rowCounts: WorkerReport['rowCounts']
  return {
    look: remembered(async () => {
      // Created late, because its connections would make systemd start token hosts out of order.
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

/** How long one observation serves. */
const freshMs = 1_000

/** Runs the work at most once per `freshMs`, however often it is asked for. */
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
