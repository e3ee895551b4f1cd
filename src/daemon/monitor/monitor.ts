import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import { errorCodeOf } from '../../fault.ts'
import { readRelease, releaseName } from '../../release.ts'
import type { Log } from '../../log.ts'
import { expose, expositionType } from '../../monitor/exposition.ts'
import { createMonitorServer, type MonitorPage, type MonitorServer } from '../../monitor/monitor-server.ts'
import type { Observation } from '../../monitor/observation.ts'
import { readinessOf, type Readiness } from '../../monitor/readiness.ts'
import { createWorkerTotals } from '../../monitor/worker-totals.ts'
import type { Cluster } from '../cluster.ts'
import { createObserver, type Observer } from './observer.ts'

export interface MonitorOptions {
  readonly config: Config
  readonly cluster: Pick<Cluster, 'look' | 'isLive'>
  readonly log: Log
}

/** Health and metrics on a listener of its own, in the primary: it answers whatever happens to workers and token. */
export interface Monitor {
  /** Resolves once it listens, or cannot: it tries again then, and nothing else waits for it. */
  start(): Promise<void>
  /** From now on the appliance is not ready. */
  drain(): void
  close(): Promise<void>
}

/** How long an answer is given again. */
const freshMs = 1_000
const retryMs = 10_000

export function createMonitor({ config, cluster, log }: MonitorOptions): Monitor {
  const totals = createWorkerTotals()
  let observer: Observer | undefined
  let release: string | undefined
  let rowCounts: Exposed['rowCounts']
  let isStopping = false
  let timer: NodeJS.Timeout | undefined

  const look = remembered(async () => {
    // Not earlier: its connections would start token hosts that systemd starts in an order.
    observer ??= createObserver(config, cluster, systemClock)
    const seen = await observer.look()
    for (const { number, report } of seen.workers) {
      totals.add(number, report)
      rowCounts = report?.rowCounts ?? rowCounts
    }
    return { seen, readiness: readinessOf(seen) }
  })

  const pages = new Map<string, () => Promise<MonitorPage>>([
    [
      '/health',
      () => Promise.resolve(cluster.isLive() ? json(200, { status: 'live' }) : json(503, { status: 'stuck' })),
    ],
    [
      '/health/ready',
      async () => {
        const { seen, readiness } = await look()
        return readinessPage(seen, readiness, isStopping)
      },
    ],
    [
      '/metrics',
      remembered(async () => {
        const found = await look()
        const sums = { calls: totals.calls(), tokenCalls: totals.tokenCalls() }
        const content = await expose({
          release: (release ??= releaseName(readRelease())),
          ...found,
          ...sums,
          rowCounts,
        })
        return { status: 200, contentType: expositionType, content }
      }),
    ],
  ])
  let server: MonitorServer | undefined

  async function listen(): Promise<void> {
    const { host, port } = config.monitor
    const opened = createMonitorServer(pages)
    try {
      log.info({ host, port: await opened.listen({ host, port }) }, 'the monitor listens')
      server = opened
    } catch (error) {
      const sentence = 'health and metrics are not served, and tried again: correct monitor.host and monitor.port'
      if (timer === undefined) log.error({ code: errorCodeOf(error) }, sentence)
      timer = setTimeout(() => void listen(), retryMs).unref()
    }
  }

  return {
    start: listen,
    drain: () => void (isStopping = true),
    async close() {
      clearTimeout(timer)
      await server?.close()
      observer?.close()
    },
  }
}

type Exposed = Parameters<typeof expose>[0]

function readinessPage({ at }: Observation, { isReady, checks }: Readiness, isStopping: boolean): MonitorPage {
  const status = isStopping ? 'stopping' : isReady ? 'ready' : 'not_ready'
  return json(status === 'ready' ? 200 : 503, { status, at: new Date(at).toISOString(), checks })
}

const json = (status: number, members: object): MonitorPage => ({
  status,
  contentType: 'application/json; charset=utf-8',
  content: `${JSON.stringify(members, undefined, 2)}\n`,
})

/** Does the work at most once in `freshMs`, whoever asks and however often. */
function remembered<T>(work: () => Promise<T>): () => Promise<T> {
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
