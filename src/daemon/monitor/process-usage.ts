import type { ProcessUsage } from '../../monitor/worker-report.ts'

/** The resource usage of this process. */
export function usageOfProcess(): ProcessUsage {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return {
    memory: { rss, heap_used: heapUsed, heap_total: heapTotal, external },
    cpuSeconds: (user + system) / 1e6,
  }
}
