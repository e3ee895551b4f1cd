import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Commit, Store, Tx } from '../store/store.ts'
import type { AuditEvent, AuditTrail } from './event.ts'

/**
 * A transaction that commits only after `record` has put its record on the disk: what cannot be recorded is not
 * committed (docs/decisions/0004). Every change of the appliance goes through here.
 */
export function createRecordedCommit(store: Pick<Store, 'transaction'>, record: () => Promise<void>): Commit {
  return (work, options) =>
    store.transaction(async (tx) => {
      const result = await work(tx)
      await record()
      return result
    }, options)
}

/** What a record of the appliance's own says beyond the operation. */
export type ApplianceNote = Omit<Partial<AuditEvent>, 'at' | 'operation' | 'requestId' | 'outcome'>

/**
 * A recorded commit for what the appliance does by itself; without a name in the note the record names the appliance.
 */
export type ApplianceCommit = <T>(operation: string, note: ApplianceNote, work: (tx: Tx) => Promise<T>) => Promise<T>

export function createApplianceCommit(dependencies: {
  readonly store: Pick<Store, 'transaction'>
  readonly audit: Pick<AuditTrail, 'append'>
  readonly clock: Clock
}): ApplianceCommit {
  const { store, audit, clock } = dependencies
  return (operation, note, work) => {
    const event = { operation, requestId: randomUUID(), outcome: 'allowed', username: 'appliance', ...note }
    return createRecordedCommit(store, () => audit.append({ at: clock.now(), ...event }))(work)
  }
}
