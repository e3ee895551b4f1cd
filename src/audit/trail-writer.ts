import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../fault.ts'
import { makeFolder } from '../folder-making.ts'
import { createGathering } from '../store/concurrency.ts'
import type { FileLock } from '../store/file-lock.ts'
import { findChainEnd, type FoundChain } from './chain-end.ts'
import { openChainFile, type ChainFile, type Entry } from './chain-file.ts'
import { lockChain } from './chain-lock.ts'
import { chainNamePattern, type SignedEnd } from '../hsm/audit-end.ts'
import type { TrailKeys } from '../hsm/audit-succession.ts'
import type { AuditEvent, AuditTrail } from './event.ts'
import { eventBody, maxLineBodyBytes, maxLineBytes } from './line.ts'
import { leaveTrailKeys, readTrailKeys } from './trail-keys.ts'
import type { TrailState } from './trail-state.ts'
import { createSealVerifier, isGenuine, parseSeal, sealBody, type SealedHead } from './seal.ts'
import { trailUnavailable } from './trail-unavailable.ts'
import { createChainSealer, type AuditLog, type ChainSealerOptions } from './chain-sealer.ts'

export interface AuditTrailOptions extends Pick<
  ChainSealerOptions,
  'hsm' | 'heads' | 'clock' | 'sealIntervalMs' | 'sealRecords'
> {
  /** Created with mode 0700 if it does not exist; the files in it have mode 0600. */
  readonly directory: string
  /**
   * The name of this process's chain, for example `worker-1` or `console`: at most 32 lower-case letters, digits and
   * hyphens.
   */
  readonly chain: string
  readonly segmentBytes: number
  /** How long to wait while another process writes this chain. */
  readonly lockWaitMs?: number
  readonly log?: AuditLog
  /** The trail updates this state. */
  readonly state?: TrailState
}

/**
 * Opens this process's chain of the audit trail for writing. An unfinished line that a crash left, and sealed records
 * that are missing, become records of their own.
 * @throws Fault `audit.unavailable` if the folder cannot be written, another process holds the chain, or the folder has
 * the key of another token; `store.unavailable`
 */
export async function createAuditTrail(options: AuditTrailOptions): Promise<AuditTrail> {
  const { directory, chain, log, heads } = options
  if (!chainNamePattern.test(chain)) throw new RangeError(`${chain} is not a name for a chain`)
  try {
    await makeFolder(directory)
    const lock = await lockChain(join(directory, `${chain}.lock`), chain, options.lockWaitMs ?? 2_000)
    try {
      const head = furthest(await genuineHead(options, (await heads.read()).get(chain)), await signedHead(options))
      const found = await findChainEnd(directory, chain, head?.seq ?? 0)
      const file = await openChainFile({ ...options, end: continued(found, head) })
      const trail = startTrail(options, file, { ...found, lastSeal: lastSealOf(found, head) }, lock)
      for (const event of foundEvents(options, found, head)) {
        log?.warn({ chain, subject: event.target }, event.operation)
        await trail.append(event).catch(async (error: unknown) => {
          await trail.close()
          throw error
        })
      }
      return trail
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (error) {
    throw trailUnavailable(error)
  }
}

function startTrail(options: AuditTrailOptions, file: ChainFile, found: FoundChain, lock: FileLock): AuditTrail {
  const sealer = createChainSealer({
    ...options,
    lastSeal: found.lastSeal,
    log: options.log,
    end: () => file.end,
    append: (body) => queue.add({ type: 'seal', body }),
  })
  const queue = createGroupCommit(file, options, (events) => sealer.wrote(events))
  sealer.wrote(found.unsealed)
  if (options.state) options.state.isOpen = true
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await queue.idle()
    await sealer.close()
    await file.close()
    lock.release()
  }

  return {
    append(event) {
      if (closing !== undefined)
        return Promise.reject(new Fault('audit.unavailable', 'The audit trail is closed; start the service again.'))
      const body = eventBody(event)
      // Readers reject a longer line, and the next start would move it out of the chain like an unfinished one.
      if (body.length > maxLineBodyBytes)
        return Promise.reject(new Fault('audit.unavailable', `The record would be longer than ${maxLineBytes} bytes.`))
      return queue.add({ type: 'event', body })
    },
    close: () => (closing ??= close()),
  }
}

interface Waiting extends Entry {
  readonly resolve: () => void
  readonly reject: (error: Fault) => void
}

/** Writes all waiting entries with one write and one sync; entries that arrive meanwhile wait for the next write. */
function createGroupCommit(
  file: ChainFile,
  { chain, clock, log, state }: AuditTrailOptions,
  wrote: (events: number) => void,
) {
  let failing = false

  async function commit(batch: readonly Waiting[]): Promise<void> {
    try {
      await file.append(batch)
      failing = false
      if (state) [state.wroteAt, state.failedAt] = [clock.now(), undefined]
      for (const { resolve } of batch) resolve()
      wrote(batch.filter(({ type }) => type === 'event').length)
    } catch (error) {
      const fault = trailUnavailable(error)
      if (!failing) log?.error({ chain, err: error }, fault.message)
      failing = true
      if (state) state.failedAt = clock.now()
      for (const { reject } of batch) reject(fault)
    }
  }

  const entries = createGathering<Waiting>(Infinity, commit)
  return {
    add: (entry: Entry) => new Promise<void>((resolve, reject) => entries.add({ resolve, reject, ...entry })),
    idle: entries.idle,
  }
}

/** The registry's head of this chain; undefined if its seal is not genuine. */
async function genuineHead({ directory, chain, hsm, log }: AuditTrailOptions, kept: SealedHead | undefined) {
  let keys: TrailKeys | undefined
  try {
    keys = await leaveTrailKeys(directory, hsm)
  } catch (error) {
    if (error instanceof Fault && error.code === 'audit.unavailable') throw error
    log?.warn({ chain, err: error }, 'the token does not give the audit key; records go on, unsealed')
    keys = await readTrailKeys(directory)
  }
  if (kept === undefined || keys === undefined) return kept
  if (isGenuine(chain, kept, createSealVerifier(keys))) return kept
  log?.error({ chain, seq: kept.seq }, 'the registry holds a head of this audit chain that no seal confirms')
  return undefined
}

/**
 * The last end of this chain that the keeper signed, which may not be in the registry yet; undefined while the keeper
 * does not answer.
 */
async function signedHead({ chain, hsm }: AuditTrailOptions): Promise<SealedHead | undefined> {
  const last = await hsm.lastAuditEnd(chain).catch(() => undefined)
  const seal = last === undefined ? undefined : parseSeal(sealBody(last))
  return seal && { ...seal.statement.covers, line: sealBody(seal) }
}

/** The seal that the chain continues from: that of the head if the record that it covers is gone or differs. */
function lastSealOf({ asked, lastSeal }: FoundChain, head: SealedHead | undefined): SignedEnd | undefined {
  return head === undefined || asked?.hash === head.hash ? lastSeal : parseSeal(head.line)
}

function furthest(a: SealedHead | undefined, b: SealedHead | undefined): SealedHead | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a.seq > b.seq ? a : b
}

// Sealed numbers are never reused: a chain that was cut continues after them, so that the gap stays visible.
function continued({ end }: FoundChain, head: SealedHead | undefined) {
  return head !== undefined && end.seq < head.seq ? { ...end, seq: head.seq } : end
}

function foundEvents(
  { chain, clock }: AuditTrailOptions,
  found: FoundChain,
  head: SealedHead | undefined,
): AuditEvent[] {
  const note = (operation: string, target: string): AuditEvent => ({
    at: clock.now(),
    operation,
    requestId: '',
    outcome: 'noted',
    target,
  })
  const { end, asked, tornBytes, tornFile } = found
  const events: AuditEvent[] = []
  if (tornBytes > 0) events.push(note('audit.torn', `${tornBytes} bytes of an unfinished write moved to ${tornFile}`))
  if (head === undefined) return events
  if (end.seq < head.seq) {
    events.push(note('audit.truncated', `${chain} ended with record ${end.seq}, but record ${head.seq} was sealed`))
  } else if (asked !== undefined && asked.hash !== head.hash) {
    events.push(note('audit.truncated', `record ${head.seq} of ${chain} is not the one that was sealed`))
  }
  return events
}

/** Delay between two attempts to open the trail, in milliseconds. */
const retryMs = 500
/** How long calls wait for the first attempt, which takes seconds on a busy machine. */
const patienceMs = 10_000

/**
 * A trail that retries until it opens. So the appliance starts while its token or disk is unavailable, and refuses
 * every call with the reason until then.
 */
export function createRetryingTrail(open: () => Promise<AuditTrail>, report: (error: unknown) => void): AuditTrail {
  const stopped = new AbortController()
  let trail: AuditTrail | undefined
  let fault: unknown
  const first = attempt()
  const opening = first.then(keepTrying)

  async function attempt(): Promise<void> {
    try {
      trail = await open()
    } catch (error) {
      if (String(error) !== String(fault)) report(error)
      fault = error
    }
  }

  async function keepTrying(): Promise<void> {
    while (trail === undefined && !stopped.signal.aborted) {
      await sleep(retryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (!stopped.signal.aborted) await attempt()
    }
  }

  return {
    async append(event) {
      // Calls directly after the start are not refused needlessly.
      if (trail === undefined && fault === undefined)
        await Promise.race([first, sleep(patienceMs, undefined, { ref: false })])
      if (trail === undefined)
        throw fault ?? new Fault('audit.unavailable', 'The audit trail is not open yet: try again.')
      await trail.append(event)
    },
    async close() {
      stopped.abort()
      await opening
      await trail?.close()
    },
  }
}
