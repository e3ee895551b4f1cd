import { dayMs, judgeClock, judgeEnd, judgeHeads, judgeReload, type Thresholds } from './judgement.ts'
import type { HostObservation, Observation } from './observation.ts'

/** `warning`: calls are served, but an operator should act. */
export type CheckState = 'ok' | 'warning' | 'failed'

export interface CheckResult {
  readonly state: CheckState
  /** For people; contains no path, user name or secret. */
  readonly detail: string
}

export interface Readiness {
  /** Whether calls are served: no check has failed. */
  readonly isReady: boolean
  readonly checks: Readonly<Record<CheckName, CheckResult>>
}

export const checkNames = ['workers', 'keeper', 'token', 'database', 'audit', 'clock', 'certificates'] as const
export type CheckName = (typeof checkNames)[number]

/**
 * A wrong clock is corrected within this time. If the difference stays longer, the clock was wrong before and is right
 * now.
 */
const clockDoubtMs = 600_000
/**
 * The trail counts as unwritable for this long after a failed write, unless a later write succeeds. In either direction:
 * after a clock that was ahead a machine that gets no calls because it is not ready would stay so.
 */
const trailDoubtMs = 30_000

export function readinessOf(seen: Observation, thresholds: Thresholds): Readiness {
  const checks = {
    workers: workers(seen),
    keeper: seen.keeper.state === 'ready' ? ok('it seals') : failed(stateOf('the keeper', seen.keeper)),
    token: token(seen),
    database: database(seen),
    audit: audit(seen),
    clock: clock(seen, thresholds),
    certificates: certificates(seen, thresholds),
  }
  return { isReady: Object.values(checks).every(({ state }) => state !== 'failed'), checks }
}

function workers({ workers: all }: Observation): CheckResult {
  const listening = all.filter(({ isListening }) => isListening)
  const silent = listening.filter(({ report }) => report === undefined).length
  const detail = `${listening.length} of ${all.length} listen${silent === 0 ? '' : `, ${silent} of them did not answer`}`
  if (listening.length === silent) return failed(detail)
  return listening.length === all.length && silent === 0 ? ok(detail) : warning(detail)
}

function token({ hosts, keyMaker }: Observation): CheckResult {
  const ready = hosts.filter(({ state }) => state === 'ready').length
  const sealed = hosts.some(({ state }) => state === 'sealed') ? ', and the token refused the PIN' : ''
  const detail = `${ready} of ${hosts.length} token hosts are ready${sealed}`
  if (ready === 0) return failed(detail)
  if (keyMaker.state !== 'ready') return warning(`${detail}; ${stateOf('the maker of RSA keys', keyMaker)}`)
  return ready === hosts.length ? ok(detail) : warning(detail)
}

const stateOf = (name: string, { state }: HostObservation): string =>
  state === 'sealed' ? `the token refused ${name} the PIN` : `${name} is ${state}`

function database({ workers: all, folders }: Observation): CheckResult {
  const reports = all.flatMap(({ report }) => report ?? [])
  if (!reports.some(({ isDatabaseReached }) => isDatabaseReached)) return failed('no worker reaches it')
  if (folders.some(({ folder, freeBytes }) => folder === 'database' && freeBytes === 0))
    return failed('its disk is full or read-only')
  return reports.every(({ isDatabaseReached }) => isDatabaseReached)
    ? ok('it answers')
    : warning('not every worker reaches it')
}

function audit({ at, workers: all, trailFolderFault }: Observation): CheckResult {
  if (trailFolderFault !== undefined) return failed(`its folder cannot be written to (${trailFolderFault})`)
  const trails = all.flatMap(({ report }) => report?.trail ?? [])
  const writable = trails.filter(
    ({ isOpen, failedAt }) => isOpen && (failedAt === undefined || Math.abs(at - failedAt) > trailDoubtMs),
  )
  const detail = `${writable.length} of ${all.length} workers write their chain`
  if (writable.length === 0) return failed(detail)
  if (writable.length < all.length) return warning(detail)
  const heads = judgeHeads(trails)
  return heads.state === 'ok' ? ok(detail) : warning(`${detail}; ${heads.detail}`)
}

function clock({ at, clock: { behindMs, forMs } }: Observation, thresholds: Thresholds): CheckResult {
  const { state, detail } = judgeClock(behindMs, thresholds)
  if (state === 'ok') return ok(new Date(at).toISOString())
  return forMs < clockDoubtMs ? failed(detail) : warning(detail)
}

function certificates({ at, certificateEnds, workers: all }: Observation, thresholds: Thresholds): CheckResult {
  const [next] = Object.entries(certificateEnds).toSorted(([, one], [, other]) => one - other)
  if (next === undefined) return warning('no certificate can be read')
  const [name, end] = next
  const days = Math.floor((end - at) / dayMs)
  const detail = `the next to end is ${name}, ${days < 0 ? 'which has ended' : `in ${days} days`}`
  const serverEnd = certificateEnds['server']
  if (serverEnd !== undefined && serverEnd <= at) return failed('the certificate of the server has ended')
  const reload = judgeReload(all.flatMap(({ report }) => report ?? []))
  if (reload.state !== 'ok') return warning(`${reload.detail}; ${detail}`)
  return judgeEnd(name, end, at, thresholds).state === 'ok' ? ok(detail) : warning(detail)
}

const ok = (detail: string): CheckResult => ({ state: 'ok', detail })
const warning = (detail: string): CheckResult => ({ state: 'warning', detail })
const failed = (detail: string): CheckResult => ({ state: 'failed', detail })
