import type { AuditEvent, AuditTrail } from '../audit/event.ts'
import { Fault } from '../fault.ts'
import type { Commit, Store } from '../store/store.ts'
import type { AuditPart } from './endpoint.ts'
import { faultCatalogue } from './faults.ts'
import { eventOf, type Passage } from './passage.ts'

/** What the audit trail hears of calls: each has one record, on the disk before its answer leaves. */
export interface Recording {
  /** The call has succeeded. */
  allow(passage: Passage): Promise<void>
  /** The call has failed. Resolves to what its caller hears: when it cannot be recorded, that. */
  refuse(passage: Passage, error: unknown): Promise<Fault>
  /** A record of its own for a part of the call. */
  part(passage: Passage, part: AuditPart): Promise<void>
  /** Commits a change only while the caller may still make it, and once the record that says so is on the disk. */
  commitOf(passage: Passage): Commit
}

export interface RecordingDependencies {
  readonly audit: AuditTrail
  readonly store: Pick<Store, 'transaction' | 'read'>
  /** Told of every fault whose cause an operator should see. */
  readonly report: (requestId: string, fault: Fault) => void
  /** Told of what somebody should look at who never reads the trail. */
  readonly alarm: (event: AuditEvent) => void
}

export function createRecording({ audit, store, report, alarm }: RecordingDependencies): Recording {
  const record = (passage: Passage, outcome: string): Promise<void> => audit.append(eventOf(passage, outcome))

  async function recordFailure(passage: Passage, fault: Fault): Promise<Fault> {
    if (fault.cause !== undefined || fault.code === 'internal' || isDiscreet(fault)) report(passage.requestId, fault)
    if (fault.code === 'audit.unavailable') return fault
    try {
      await record(passage, fault.code)
      return fault
    } catch (error) {
      const unrecorded = asFault(error)
      report(passage.requestId, unrecorded)
      return unrecorded
    }
  }

  return {
    async allow(passage) {
      if (!passage.recorded) await record(passage, 'allowed')
    },

    refuse: async (passage, error) => outward(await recordFailure(passage, asFault(error))),

    async part(passage, { operation, subject, isAlarm }) {
      await passage.confirm?.(store.read)
      const event = { ...eventOf(passage, 'allowed'), operation, subject }
      if (isAlarm === true) alarm(event)
      await audit.append(event)
    },

    commitOf: (passage) => (work, options) =>
      store.transaction(async (tx) => {
        await passage.confirm?.(tx)
        const result = await work(tx)
        await record(passage, 'allowed')
        passage.recorded = true
        return result
      }, options),
  }
}

const isDiscreet = ({ code }: Fault): boolean => faultCatalogue[code].discreet === true

/** What the caller hears of a fault. */
function outward(fault: Fault): Fault {
  return isDiscreet(fault) ? new Fault(fault.code) : fault
}

function asFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault('internal', undefined, { cause: error })
}
