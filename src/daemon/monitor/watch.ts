import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import type { Log } from '../../log.ts'
import type { ApplianceState } from '../../features/utils/appliance-state.ts'
import type { Cluster } from '../cluster.ts'
import { createWarnings } from '../warnings.ts'
import { createWarningChecks } from './warning-checks.ts'
import { createMonitor } from './monitor.ts'
import { createApplianceStatus } from './appliance-status.ts'

/** What the primary sees of the appliance, told by the monitor where it is enabled, and warned of in the journal. */
export interface Watch {
  startMonitor(): Promise<void>
  /** Once the appliance runs: before, all sorts of things are missing. */
  startWarnings(): void
  /** For administrators, what the monitor and the journal tell on the machine. */
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
