import type { Config } from '../../config/schema.ts'
import { errorCodeOf } from '../../fault.ts'
import { readRelease, releaseName } from '../../release.ts'
import type { Log } from '../../log.ts'
import { expose, expositionType } from '../../monitor/exposition.ts'
import { createMonitorServer, type MonitorPage, type MonitorServer } from '../../monitor/monitor-server.ts'
import type { Observation } from '../../monitor/observation.ts'
import type { Readiness } from '../../monitor/readiness.ts'
import type { Cluster } from '../cluster.ts'
import type { StandingWarning } from '../../monitor/standing-warning.ts'
import { remembered, type ApplianceStatus } from './appliance-status.ts'

export interface MonitorOptions {
  readonly config: Config
  readonly cluster: Pick<Cluster, 'isLive'>
  readonly status: ApplianceStatus
  /** The present warnings. */
  readonly warnings: () => readonly StandingWarning[]
  readonly log: Log
}

/**
 * Health and metrics on a listener of its own, in the primary, so that it answers whatever happens to workers and
 * token.
 */
export interface Monitor {
  /** Resolves once it listens or has failed to: it then tries again, and nothing waits for it. */
  start(): Promise<void>
  /** Reports the appliance as not ready from now on. */
  drain(): void
  close(): Promise<void>
}

const retryMs = 10_000

export function createMonitor({ config, cluster, status, warnings, log }: MonitorOptions): Monitor {
  let release: string | undefined
  let isStopping = false
  let timer: NodeJS.Timeout | undefined

  const pages = new Map<string, () => Promise<MonitorPage>>([
    [
      '/health',
      () => Promise.resolve(cluster.isLive() ? json(200, { status: 'live' }) : json(503, { status: 'stuck' })),
    ],
    [
      '/health/ready',
      async () => {
        const { seen, readiness } = await status.look()
        return readinessPage(seen, readiness, isStopping)
      },
    ],
    [
      '/metrics',
      remembered(async () => {
        const found = await status.look()
        const { totals } = status
        const sums = { calls: totals.calls(), tokenCalls: totals.tokenCalls(), rowCounts: status.rowCounts() }
        const content = await expose({
          release: (release ??= releaseName(readRelease())),
          ...found,
          ...sums,
          warnings: warnings(),
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
    },
  }
}

function readinessPage({ at }: Observation, { isReady, checks }: Readiness, isStopping: boolean): MonitorPage {
  const status = isStopping ? 'stopping' : isReady ? 'ready' : 'not_ready'
  return json(status === 'ready' ? 200 : 503, { status, at: new Date(at).toISOString(), checks })
}

const json = (status: number, members: object): MonitorPage => ({
  status,
  contentType: 'application/json; charset=utf-8',
  content: `${JSON.stringify(members, undefined, 2)}\n`,
})
