import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import type { Observation } from '../../monitor/observation.ts'
import type { Cluster } from '../cluster.ts'
import { createCertificateEnds } from './certificate-ends.ts'
import { createClockLag } from './clock-lag.ts'
import { createFolderSights } from './folder-sights.ts'
import { usageOfProcess } from './process-usage.ts'
import { createTokenSights } from './token-sights.ts'

/** Looks at everything that the monitor tells of. */
export interface Observer {
  /** Takes two seconds at most, whatever does not answer. */
  look(): Promise<Observation>
  close(): void
}

export function createObserver(config: Config, cluster: Pick<Cluster, 'look'>, clock: Clock): Observer {
  const tokenSights = createTokenSights(config)
  const folderSights = createFolderSights(config)
  const certificateEnds = createCertificateEnds(config)
  const clockLag = createClockLag(clock, config.audit.directory)
  return {
    async look() {
      const [workers, token, folders, fault] = await Promise.all([
        cluster.look(),
        tokenSights.look(),
        folderSights.look(),
        folderSights.trailFault(),
      ])
      return {
        at: clock.now(),
        primary: usageOfProcess(),
        workers,
        ...token,
        folders,
        trailFolderFault: fault,
        clock: await clockLag(workers),
        certificateEnds: certificateEnds(),
      }
    },
    close: () => tokenSights.close(),
  }
}
