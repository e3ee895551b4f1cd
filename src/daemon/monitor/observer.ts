import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import type { FolderObservation, HostObservation, Observation, WorkerObservation } from '../../monitor/observation.ts'
import type { Cluster } from '../cluster.ts'
import { createCertificateEnds } from './certificate-ends.ts'
import { createClockLag } from './clock-lag.ts'
import { createFolderProbes } from './folder-probes.ts'
import { usageOfProcess } from './process-usage.ts'
import { createTokenProbes } from './token-probes.ts'

/** Observes all that the monitor reports. */
export interface Observer {
  /** Takes at most two seconds, even if something does not answer. */
  look(): Promise<Observation>
  close(): void
}

export function createObserver(config: Config, cluster: Pick<Cluster, 'look'>, clock: Clock): Observer {
  const tokenProbes = createTokenProbes(config)
  const folderProbes = createFolderProbes(config)
  const certificateEnds = createCertificateEnds(config)
  const clockLag = createClockLag(clock, config.audit.directory)
  return {
    async look() {
      const [workers, token, folders, fault] = await Promise.all([
        cluster.look(),
        tokenProbes.look(),
        folderProbes.look(),
        folderProbes.trailFault(),
      ])
      return {
        at: clock.now(),
        primary: usageOfProcess(),
        workers,
        ...token,
        folders: withDiskOf(token.keeper, folders),
        trailFolderFault: fault,
        clock: await clockLag(workers),
        certificateEnds: { ...certificateEnds(), ...presentedEnd(workers) },
      }
    },
    close: () => tokenProbes.close(),
  }
}

/** Workers present the certificate that they read last, whatever the file holds by now. */
function presentedEnd(workers: readonly WorkerObservation[]): { readonly server?: number } {
  const ends = workers.flatMap(({ report }) => report?.certificate.end ?? [])
  return ends.length === 0 ? {} : { server: Math.min(...ends) }
}

/** Under systemd this process does not see the keeper's folder, and has the room there from the keeper. */
function withDiskOf({ room }: HostObservation, folders: readonly FolderObservation[]): readonly FolderObservation[] {
  if (room === undefined || folders.some(({ folder }) => folder === 'keeper')) return folders
  return [...folders, { folder: 'keeper', freeBytes: room.freeBytes, sizeBytes: room.totalBytes }]
}
