import { actBy } from '../../access/acting.ts'
import type { AuditEvent, AuditTrail } from '../../audit/event.ts'
import { createRecordedCommit, withRows, type ReadRows } from '../../audit/recorded-commit.ts'
import type { UnidentifiedRecords } from '../../audit/unidentified-records.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Commit, Store } from '../../store/store.ts'
import type { AuditPart } from '../contract/endpoint.ts'
import { faultCatalogue } from '../contract/faults.ts'
import { createUserChangeQueue } from './user-change-queue.ts'
import { eventOf, type RequestContext } from './request-context.ts'
import type { UnidentifiedCallLimit } from './unidentified-call-limit.ts'

/** Writes the audit records of calls: each has one, on the disk before its answer is sent. */
export interface Recording {
  /** The call has succeeded. */
  allow(request: RequestContext): Promise<void>
  /** The call has failed. Resolves to the fault that its caller is told: when it cannot be recorded, that. */
  refuse(request: RequestContext, error: unknown): Promise<Fault>
  /** A record of its own for a part of the call. */
  part(request: RequestContext, part: AuditPart): Promise<void>
  /** Commits a change only while the caller may still make it, and once the record that says so is on the disk. */
  commitOf(request: RequestContext): Commit
}

export interface RecordingDependencies {
  readonly audit: AuditTrail
  /** For calls without a caller. */
  readonly unidentified: Pick<UnidentifiedRecords, 'append'>
  readonly unidentifiedCallLimit: Pick<UnidentifiedCallLimit, 'count'>
  readonly store: Pick<Store, 'transaction' | 'read'>
  readonly readRows: ReadRows
  /** Told of every fault whose cause an operator should see. */
  readonly report: (requestId: string, fault: Fault) => void
  /** Told of what an administrator should see without reading the trail. */
  readonly alarm: (event: AuditEvent) => void
}

export function createRecording(dependencies: RecordingDependencies): Recording {
  const { audit, store, readRows, report, alarm, unidentified, unidentifiedCallLimit } = dependencies
  const queueChange = createUserChangeQueue()

  function record(request: RequestContext, outcome: string): Promise<void> {
    const event = eventOf(request, outcome)
    // A login has no caller, but one that succeeded names its user and is not counted.
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
   * To the keeper a vault that was deleted during the call looks like one that was put back: the caller is told what the
   * same call would be told now. Where it may still be made, a row was put back: the cause makes the operator hear of it.
   */
  async function refusalNow(request: RequestContext, error: unknown): Promise<unknown> {
    if (!isFault(error, 'hsm.outdated')) return error
    try {
      await request.reauthorize?.(store.read)
    } catch (refusal) {
      return refusal
    }
    return new Fault(error.code, error.detail, { cause: error.cause ?? error })
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
        const event = await withRows(eventOf(request, 'allowed'), tx, readRows)
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
            if (request.grant) actBy(tx, request.grant)
            return work(tx)
          }, options),
        )
    },
  }
}

const isDetailHidden = ({ code }: Fault): boolean => faultCatalogue[code].hidesDetail === true

/** A fault as the caller is told. */
function outward(fault: Fault): Fault {
  return isDetailHidden(fault) ? new Fault(fault.code) : fault
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error })
}
