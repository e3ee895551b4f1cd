import type { WorkerReport } from '../../monitor/worker-report.ts'
import { inTime } from './in-time.ts'

const patienceMs = 2_000

/** The answers to what a worker was asked, which come in the order of the questions. */
export function createReports() {
  const waiting: ((report: WorkerReport | undefined) => void)[] = []
  return {
    arrived: (report: WorkerReport | undefined) => waiting.shift()?.(report),
    ask(send: () => void): Promise<WorkerReport | undefined> {
      const answer = new Promise<WorkerReport | undefined>((resolve) => void waiting.push(resolve))
      send()
      return inTime(answer, patienceMs, undefined)
    },
  }
}
