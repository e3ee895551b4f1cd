import type { WorkerReport } from '../../monitor/worker-report.ts'

const reportPatienceMs = 2_000

/** The answers to what a worker was asked, which come in the order of the questions. */
export function createReports() {
  const waiting: ((report: WorkerReport | undefined) => void)[] = []
  return {
    arrived: (report: WorkerReport | undefined) => waiting.shift()?.(report),
    ask: (send: () => void) =>
      new Promise<WorkerReport | undefined>((resolve) => {
        const timer = setTimeout(() => settle(undefined), reportPatienceMs)
        const settle = (report: WorkerReport | undefined): void => {
          clearTimeout(timer)
          resolve(report)
        }
        waiting.push(settle)
        send()
      }),
  }
}
