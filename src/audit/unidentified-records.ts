import { networkOf } from '../access/network.ts'
import type { Clock } from '../clock.ts'
import type { AuditEvent, AuditTrail } from './event.ts'

/**
 * The records of unauthenticated calls. An attacker may make thousands of calls a second. So each network gets a
 * limited number of single records, and its other calls are counted in one record. That leaves disk space for
 * authenticated callers.
 */
export interface UnidentifiedRecords {
  /**
   * Resolves when the record is on the disk, or counted. `isSingle`: whether the call may get a record of its own.
   * @throws Fault `audit.unavailable`
   */
  append(event: AuditEvent, isSingle: boolean): Promise<void>
  /** Writes the counts; those that cannot be written are lost and reported. */
  close(): Promise<void>
}

export interface UnidentifiedRecordsOptions {
  readonly audit: Pick<AuditTrail, 'append'>
  readonly clock: Clock
  /** Number of single records for one network in an interval. */
  readonly perInterval: number
  /** Whether the disk has more free space than the reserve for authenticated callers. */
  readonly hasRoom: () => boolean
  /** Called with the error when counts cannot be written. */
  readonly report: (error: unknown) => void
}

/** The calls of one network in an interval. */
interface Count {
  singles: number
  firstAt: number
  lastAt: number
  readonly outcomes: Map<string, number>
}

const intervalMs = 60_000
/** The limit of single records for all networks, as a multiple of that for one. */
const networksAtOnce = 10
/** Number of networks that are counted separately; all others share one count. */
const mostNetworks = 1_000
const otherNetworks = 'other addresses'

export function createUnidentifiedRecords(options: UnidentifiedRecordsOptions): UnidentifiedRecords {
  const { audit, clock, perInterval, hasRoom, report } = options
  let counts = new Map<string, Count>()
  let singles = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function countOf(address: string | undefined, at: number): Count {
    const network = networkOf(address ?? 'unknown')
    const name = counts.has(network) || counts.size < mostNetworks ? network : otherNetworks
    const count = counts.get(name) ?? { singles: 0, firstAt: at, lastAt: at, outcomes: new Map<string, number>() }
    counts.set(name, count)
    return count
  }

  function add(event: AuditEvent, outcome: string, calls: number): void {
    const count = countOf(event.address, event.at)
    if (count.outcomes.size === 0) count.firstAt = event.at
    count.lastAt = Math.max(count.lastAt, event.at)
    count.outcomes.set(outcome, (count.outcomes.get(outcome) ?? 0) + calls)
  }

  /** Starts a new interval, and writes the counts of the last one. */
  async function write(): Promise<void> {
    const ended = counts
    counts = new Map()
    singles = 0
    timer = undefined
    for (const [network, count] of ended) {
      if (count.outcomes.size === 0) continue
      const event = summaryOf(network, count, clock.now())
      await audit.append(event).catch((error: unknown) => {
        report(error)
        for (const [outcome, calls] of count.outcomes) add({ ...event, at: count.firstAt }, outcome, calls)
        schedule()
      })
    }
  }

  function schedule(): void {
    timer ??= setTimeout(() => void (writing = writing.then(write)), intervalMs).unref()
  }

  return {
    async append(event, isSingle) {
      schedule()
      const count = countOf(event.address, event.at)
      if (!isSingle || count.singles >= perInterval || singles >= perInterval * networksAtOnce || !hasRoom())
        return add(event, event.outcome, 1)
      count.singles += 1
      singles += 1
      return audit.append(event)
    },
    async close() {
      clearTimeout(timer)
      await writing
      await write()
      clearTimeout(timer)
    },
  }
}

/** The one record of the calls of a network that got no record of their own. */
function summaryOf(network: string, { firstAt, lastAt, outcomes }: Count, now: number): AuditEvent {
  const calls = [...outcomes.values()].reduce((sum, one) => sum + one, 0)
  return {
    at: now,
    operation: 'audit.unidentified',
    requestId: '',
    outcome: 'noted',
    address: network,
    target: [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(', '),
    count: calls,
    ms: lastAt - firstAt,
  }
}
