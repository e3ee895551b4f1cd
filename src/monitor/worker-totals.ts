import { summed, type TimingRow } from './timings.ts'
import type { WorkerReport } from './worker-report.ts'

/** What all workers have counted since the daemon started: a counter that fell with a worker would count twice. */
export interface WorkerTotals {
  /** Takes in what a worker says of itself; nothing where it said nothing, which leaves what it said before. */
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
      // Another process has taken the number.
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
