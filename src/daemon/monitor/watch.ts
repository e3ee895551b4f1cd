import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import type { Log } from '../../log.ts'
import type { ApplianceState } from '../../features/utils/appliance-state.ts'
import type { Cluster } from '../cluster.ts'
import { createWarnings } from '../warnings.ts'
import { createWarningChecks } from './warning-checks.ts'
import { createMonitor } from './monitor.ts'
import { createApplianceStatus } from './appliance-status.ts'

/** The primary's view of the appliance, which the monitor reports if it is enabled, and the journal warns of. */
export interface Watch {
  startMonitor(): Promise<void>
  /** To be called once the appliance runs, since much is missing before. */
  startWarnings(): void
  /** For administrators elsewhere: what monitor and journal report on the machine. */
  state(): Promise<ApplianceState>
  drain(): void
  close(): Promise<void>
}

export function createWatch(config: Config, cluster: Pick<Cluster, 'look' | 'isLive'>, log: Log): Watch {
  const appliance = createApplianceStatus(config, cluster)
  const { everyMs } = config.warnings
  const warnings = createWarnings({ look: createWarningChecks(config, appliance), everyMs, clock: systemClock, log })
  const monitor = config.monitor.enabled
    ? createMonitor({ config, cluster, status: appliance, warnings: () => warnings.standing(), log })
    : undefined
  let isStopping = false
  return {
    startMonitor: () => monitor?.start() ?? Promise.resolve(),
    startWarnings: () => warnings.start(),
    async state() {
      const { seen, readiness } = await appliance.look()
      const checks = Object.entries(readiness.checks).map(([name, check]) => ({ name, ...check }))
      const status = isStopping ? 'stopping' : readiness.isReady ? 'ready' : 'not_ready'
      return { status, at: seen.at, checks, warnings: warnings.standing() }
    },
    drain() {
      isStopping = true
      monitor?.drain()
    },
    async close() {
      warnings.stop()
      await monitor?.close()
      appliance.close()
    },
  }
}
