import type { TrailState } from '../audit/trail-state.ts'
import type { FolderObservation, TokenRoom } from './observation.ts'
import type { WorkerReport } from './worker-report.ts'

/** The result of one check, in the same form for `doctor`, for readiness and for the daemon's warnings. */
export interface Judgement {
  readonly state: 'ok' | 'warning' | 'problem'
  /** The observed state. */
  readonly detail: string
  /** Advice to the operator. */
  readonly remedy: string
}

/** The room on a disk. */
export type Room = Pick<FolderObservation, 'freeBytes' | 'sizeBytes'>

/** Options of the section `warnings`. */
export interface Thresholds {
  readonly freeMiB: number
  readonly certificateDays: number
  readonly tokenPercent: number
  readonly clockMs: number
}

const mebibyte = 2 ** 20
export const dayMs = 86_400_000

/** Of a disk smaller than four times `freeMiB`, for example a `/tmp` in the memory of a small machine. */
const shareOfSmallDisk = 1 / 4

/**
 * Checks free disk space: every call is recorded before it is answered, so a full disk of the trail stops the
 * appliance. `name` describes the content of the disk.
 */
export function judgeDisk(disk: Room, name: string, thresholds: Pick<Thresholds, 'freeMiB'>): Judgement {
  const free = disk.freeBytes / mebibyte
  const freeMiB = Math.min(thresholds.freeMiB, (disk.sizeBytes / mebibyte) * shareOfSmallDisk)
  const detail = `${Math.floor(free)} MiB free for ${name}`
  if (free < freeMiB / 10)
    return {
      state: 'problem',
      detail,
      remedy:
        'Free some space now, or where the file system is read-only find out why (dmesg), and mount it for writing: when nothing can be written, calls are refused, or backups fail.',
    }
  const remedy = 'Free some space, or put a larger disk there: "When a disk is full" in docs/operations.md.'
  return { state: free < freeMiB ? 'warning' : 'ok', detail, remedy }
}

export const renewal =
  'Put a new certificate where tls.certificate points and reload the daemon (SIGHUP); with another tls.key restart it.'
const replacement = 'Replace the file by one with a newer certificate; no restart is needed.'

/** Checks the expiry of a certificate; `server` is the appliance's own. */
export function judgeEnd(name: string, end: number, now: number, { certificateDays }: Thresholds): Judgement {
  const remedy = name === 'server' ? renewal : replacement
  const date = new Date(end).toISOString().slice(0, 16)
  if (end <= now) return { state: 'problem', detail: `expired on ${date}`, remedy }
  const state = end - now < certificateDays * dayMs ? 'warning' : 'ok'
  return { state, detail: `expires on ${date}, in ${Math.floor((end - now) / dayMs)} days`, remedy }
}

/** Checks whether the workers could take the certificate at the last reload. */
export function judgeReload(reports: readonly Pick<WorkerReport, 'certificate'>[]): Judgement {
  const remedy =
    'Correct tls.certificate, tls.key or smartcard.clientCa (the journal says which) and reload the daemon (SIGHUP): with these files no worker that ends is replaced, and the daemon does not start.'
  return reports.some(({ certificate }) => certificate.isNewRefused)
    ? {
        state: 'problem',
        detail: 'the new server certificate cannot be used, so clients are shown the old one',
        remedy,
      }
    : { state: 'ok', detail: 'clients are shown the certificate that was read last', remedy }
}

/**
 * Checks what the worker that sealed last found in the registry. A worker that has sealed nothing since may remember
 * what is over.
 */
export function judgeHeads(trails: readonly Pick<TrailState, 'comparedAt' | 'unconfirmed'>[]): Judgement {
  const [last] = trails.toSorted((one, other) => (other.comparedAt ?? 0) - (one.comparedAt ?? 0))
  const chains = last?.unconfirmed ?? []
  const remedy =
    'Where root-keys rotate audit has run on one of several machines, run it on each. Otherwise the database was edited: run strongroom audit verify.'
  if (chains.length === 0) return { state: 'ok', detail: 'all ends of chains in the database are confirmed', remedy }
  const detail = `the database holds ends of audit chains that no seal confirms: ${chains.join(', ')}`
  return { state: 'warning', detail, remedy }
}

const setClock =
  'Set the clock right and keep it so (systemd-timesyncd or chrony): time-based passwords and the audit trail need it.'

/** Checks the clock. If it is behind earlier work of the appliance, it was set back, or was ahead before. */
export function judgeClock(behindMs: number, { clockMs }: Thresholds): Judgement {
  const detail = `it is ${Math.round(behindMs / 1000)} s behind the last thing that the appliance did`
  if (behindMs <= clockMs) return { state: 'ok', detail, remedy: setClock }
  const remedy = `${setClock} If it is right now and was ahead before, codes of authenticators that were used meanwhile are refused until then: wait, or give their users others (strongroom otp enroll, otp remove).`
  return { state: 'problem', detail, remedy }
}

/** Checks by how much the clock was set between two observations, measured with a monotonic clock. */
export function judgeJump(jumpMs: number, { clockMs }: Thresholds): Judgement {
  const detail = `it was set ${jumpMs < 0 ? 'back' : 'forward'} by ${Math.round(Math.abs(jumpMs) / 1000)} s`
  return { state: Math.abs(jumpMs) > clockMs ? 'warning' : 'ok', detail, remedy: setClock }
}

/** Checks that a worker may open a file for each connection that the configuration allows; `most`: those that it may. */
export function judgeConnections(most: number, { maxConnections }: { readonly maxConnections: number }): Judgement {
  const detail = `each listener of a worker holds ${Math.min(most, maxConnections)} connections of the ${maxConnections} of http.maxConnections`
  const remedy =
    'Let each process open four times as many files as http.maxConnections (LimitNOFILE= of the unit, ulimit -n), or lower http.maxConnections.'
  return { state: most < maxConnections ? 'warning' : 'ok', detail, remedy }
}

/** Checks the free space of a token: its own memory, or the disk of a software token. */
export function judgeRoom({ kind, freeBytes, totalBytes }: TokenRoom, thresholds: Thresholds): Judgement {
  if (kind === 'disk') return judgeDisk({ freeBytes, sizeBytes: totalBytes }, 'the token', thresholds)
  const percent = (freeBytes / totalBytes) * 100
  const detail = `${freeBytes} of ${totalBytes} bytes of its memory are free`
  const remedy =
    'Delete vaults and keys that are no longer needed, or set hsm.vaultKeys to wrapped: without room no vault can be made.'
  if (percent < thresholds.tokenPercent / 5) return { state: 'problem', detail, remedy }
  return { state: percent < thresholds.tokenPercent ? 'warning' : 'ok', detail, remedy }
}

const hourMs = 3_600_000

/** Checks the age of the newest backup in `backup.directory`; undefined if there is none. */
export function judgeBackup(ageMs: number | undefined, { backupHours }: { readonly backupHours: number }): Judgement {
  const remedy =
    'See why: journalctl -u strongroom-backup. Have it made every day: systemctl enable --now strongroom-backup.timer'
  if (ageMs === undefined) return { state: 'warning', detail: 'there is no backup in backup.directory', remedy }
  const hours = Math.floor(ageMs / hourMs)
  const detail = `the newest is ${hours} hours old`
  if (hours >= backupHours * 4) return { state: 'problem', detail, remedy }
  return { state: hours >= backupHours ? 'warning' : 'ok', detail, remedy }
}
