import { systemClock } from '../../clock.ts'
import type { Config } from '../../config/schema.ts'
import {
  judgeClock,
  judgeConnections,
  judgeDisk,
  judgeEnd,
  judgeHeads,
  type Judgement,
  judgeJump,
  judgeReload,
  judgeRoom,
} from '../../monitor/judgement.ts'
import type { HostObservation, Observation } from '../../monitor/observation.ts'
import type { StandingWarning } from '../../monitor/standing-warning.ts'
import { mostConnectionsPerListener } from '../../open-files.ts'
import { createBackupProbe } from './backup-probe.ts'
import { createRevocationWarnings } from './revocation-warnings.ts'
import type { ApplianceStatus } from './appliance-status.ts'

/**
 * The checks of `strongroom doctor`: disks, room in the token, certificates and revocation lists, the clock, backups.
 * Also the limit of open files, which each process of the appliance has of its own.
 */
export function createWarningChecks(
  config: Config,
  status: Pick<ApplianceStatus, 'look'>,
): () => Promise<readonly StandingWarning[]> {
  const revocationWarnings = createRevocationWarnings(config)
  const backupProbe = createBackupProbe(config)
  const jumpOf = createJumps()
  return async () => {
    const [{ seen }, backup] = await Promise.all([status.look(), backupProbe(systemClock.now())])
    return [
      ...judged(seen, config),
      ...named('clock.set', judgeJump(jumpOf(), config.warnings)),
      ...named('connections', judgeConnections(mostConnectionsPerListener(), config.http)),
      ...revocationWarnings(),
      ...(backup === undefined ? [] : named('backup', backup)),
    ]
  }
}

function judged(seen: Observation, { warnings }: Config): StandingWarning[] {
  const { at, workers, folders, hosts, clock, certificateEnds } = seen
  const room = hosts.find((host): host is Required<HostObservation> => host.room !== undefined)?.room
  const ends = Object.entries(certificateEnds).filter(([name]) => !name.startsWith('revocation-list'))
  return [
    ...folders.flatMap((disk) => named(`disk.${disk.folder}`, judgeDisk(disk, `the ${disk.folder} files`, warnings))),
    // A software token's disk is among the folders where this process may see it.
    ...(room === undefined || folders.some(({ folder }) => folder === 'token')
      ? []
      : named('token.room', judgeRoom(room, warnings))),
    ...named('audit.heads', judgeHeads(workers.flatMap(({ report }) => report?.trail ?? []))),
    ...named('certificate.reload', judgeReload(workers.flatMap(({ report }) => report ?? []))),
    ...named('clock', judgeClock(clock.behindMs, warnings)),
    ...ends.flatMap(([name, end]) => named(`certificate.${name}`, judgeEnd(name, end, at, warnings), name)),
  ]
}

function named(name: string, { state, detail, remedy }: Judgement, certificate?: string): StandingWarning[] {
  if (state === 'ok') return []
  const subject = certificate === undefined ? '' : `the ${certificate} certificate `
  const about = /^(clock|backup)/.test(name) ? `the ${name.split('.', 1)[0]}: ${detail}` : `${subject}${detail}`
  return [{ name, state, detail: about, remedy }]
}

const offset = (): number => systemClock.now() - performance.now()

/** How far the clock was set since the last check; 0 at the first one. */
function createJumps(): () => number {
  let last = offset()
  return () => {
    const before = last
    last = offset()
    return last - before
  }
}
