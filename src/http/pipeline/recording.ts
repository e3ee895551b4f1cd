import { setTransactionGrant } from '../../access/transaction-grant.ts'
import type { AuditEvent, AuditTrail } from '../../audit/event.ts'
import { createRecordedCommit, withRows, type ReadRows } from '../../audit/recorded-commit.ts'
import type { UnidentifiedRecords } from '../../audit/unidentified-records.ts'
import { asFault, Fault, isFault } from '../../fault.ts'
import type { Commit, Store } from '../../store/store.ts'
import { createUserTurns } from '../../user-turns.ts'
import type { AuditPart } from '../contract/endpoint.ts'
import { faultCatalogue } from '../contract/faults.ts'
import { eventOf, type RequestContext } from './request-context.ts'
import type { UnidentifiedCallLimit } from './unidentified-call-limit.ts'

/** Writes the audit records of calls. Each call has one, which is on the disk before its answer is sent. */
export interface Recording {
  /** Records a successful call. */
  allow(request: RequestContext): Promise<void>
  /** Records a failed call. Resolves to the fault for the caller: if the record cannot be written, that fault. */
  refuse(request: RequestContext, error: unknown): Promise<Fault>
  /** Writes a separate record for a part of the call. */
  part(request: RequestContext, part: AuditPart): Promise<void>
  /**
   * A `Commit` that, within the transaction, checks again that the caller may make the call, and commits only once the
   * record is on the disk.
   */
  commitOf(request: RequestContext): Commit
}

export interface RecordingDependencies {
  readonly audit: AuditTrail
  /** Records calls of unidentified callers. */
  readonly unidentified: Pick<UnidentifiedRecords, 'append'>
  readonly unidentifiedCallLimit: Pick<UnidentifiedCallLimit, 'count'>
  readonly store: Pick<Store, 'dialect' | 'transaction' | 'read'>
  readonly readRows: ReadRows
  /** Told of each fault whose cause the operator should see. */
  readonly report: (requestId: string, fault: Fault) => void
  /** Told of records that need an administrator's immediate attention. */
  readonly alarm: (event: AuditEvent) => void
}

/**
 * Changes of one user that may be at the database at once. The database takes changes in the order of arrival, so that
 * other users wait for at most this many of a bulk load. Eight still share one commit of SQLite and its sync.
 */
const mostAtOnce = 8
/** Half of a worker's connections, each of which a change holds, even while it waits for the lock of a row. */
const mostOnPostgres = 4

export function createRecording(dependencies: RecordingDependencies): Recording {
  const { audit, store, readRows, report, alarm, unidentified, unidentifiedCallLimit } = dependencies
  // Calls without a caller, such as logins, have limits of their own.
  const queueChange = createUserTurns(store.dialect === 'postgres' ? mostOnPostgres : mostAtOnce)

  function record(request: RequestContext, outcome: string): Promise<void> {
    const event = eventOf(request, outcome)
    // A login has no caller, but a successful one names its user and does not count as unidentified.
    if (request.caller !== undefined || (outcome === 'allowed' && event.userId !== undefined))
      return audit.append(event)
    const isOverLimit = outcome === 'request.too_many'
    if (!isOverLimit) unidentifiedCallLimit.count(request.client.address)
    return unidentified.append(event, !isOverLimit)
  }

  async function recordFailure(request: RequestContext, fault: Fault): Promise<Fault> {
    if (fault.cause !== undefined || fault.code === 'internal' || isDetailHidden(fault))
      report(request.requestId, fault)
    if (fault.code === 'audit.unavailable') return fault
    try {
      await record(request, fault.code)
      return fault
    } catch (error) {
      const unrecorded = asFault(error)
      report(request.requestId, unrecorded)
      return unrecorded
    }
  }

  /**
   * The fault for a change that the keeper refused. The keeper does not tell a member who was removed from one who was
   * lowered, and to it a vault deleted during the call looks like an old row that was put back. So the caller's rights
   * are checked again: where they are gone, the caller gets the fault of a new call; where they are not, an outdated
   * row was indeed put back, and the fault has a cause so that the journal reports it.
   */
  async function refusalNow(request: RequestContext, error: unknown): Promise<unknown> {
    if (!isFault(error, 'hsm.outdated') && !isFault(error, 'access.permission')) return error
    try {
      await request.reauthorize?.(store.read)
    } catch (refusal) {
      return refusal
    }
    return error.code === 'hsm.outdated' ? new Fault(error.code, error.detail, { cause: error.cause ?? error }) : error
  }

  return {
    async allow(request) {
      if (!request.recorded) await record(request, 'allowed')
    },

    refuse: async (request, error) => outward(await recordFailure(request, asFault(await refusalNow(request, error)))),

    async part(request, { isAlarm, ...part }) {
      await request.reauthorize?.(store.read)
      const event = { ...eventOf(request, 'allowed'), ...part }
      if (isAlarm === true) alarm(event)
      await audit.append(event)
    },

    commitOf(request) {
      const commit = createRecordedCommit(store, async (tx) => {
        const noted = Object.assign(eventOf(request, 'allowed'), { rows: request.note.rows })
        const event = await withRows(noted, tx, readRows)
        return async () => {
          for (const part of request.parts) await audit.append({ ...eventOf(request, 'allowed'), ...part })
          await audit.append(event)
          request.recorded = true
        }
      })
      return (work, options) =>
        queueChange(request.caller?.userId, () =>
          commit(async (tx) => {
            await request.reauthorize?.(tx)
            if (request.grant) setTransactionGrant(tx, request.grant)
            return work(tx)
          }, options),
        )
    },
  }
}

const isDetailHidden = ({ code }: Fault): boolean => faultCatalogue[code].hidesDetail === true

/** The fault as the caller sees it. */
function outward(fault: Fault): Fault {
  return isDetailHidden(fault) ? new Fault(fault.code) : fault
}
