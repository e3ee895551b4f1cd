import { summed, type TimingRow } from './timings.ts'
import type { WorkerReport } from './worker-report.ts'

/**
 * The counts of all workers since the start of the daemon, including ended workers. Without those a counter would
 * decrease, which Prometheus would take for a restart.
 */
export interface WorkerTotals {
  /** Stores the latest report of a worker; without a report the previous one stays. */
  add(number: number, report: WorkerReport | undefined): void
  calls(): TimingRow[]
  tokenCalls(): TimingRow[]
}

type Counted = Pick<WorkerReport, 'calls' | 'tokenCalls'>

export function createWorkerTotals(): WorkerTotals {
  const latest = new Map<number, WorkerReport>()
  let ended: Counted = { calls: [], tokenCalls: [] }

  const sumOf = (list: keyof Counted): TimingRow[] =>
    summed([...ended[list], ...[...latest.values()].flatMap((report) => report[list])])

  return {
    add(number, report) {
      if (report === undefined) return
      const before = latest.get(number)
      // A new process has this worker's number: keep the counts of the ended one.
      if (before !== undefined && before.pid !== report.pid)
        ended = {
          calls: summed([...ended.calls, ...before.calls]),
          tokenCalls: summed([...ended.tokenCalls, ...before.tokenCalls]),
        }
      latest.set(number, report)
    },
    calls: () => sumOf('calls'),
    tokenCalls: () => sumOf('tokenCalls'),
  }
}
