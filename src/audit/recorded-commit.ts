import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { beforeCommit } from '../store/before-commit.ts'
import type { Commit, Store, Tx } from '../store/store.ts'
import type { AuditEvent, AuditTrail, RecordedRows } from './event.ts'

/** Reads the rows that a record is about, in the transaction that it belongs to. */
export type ReadRows = (tx: Tx, event: AuditEvent) => Promise<RecordedRows>

/** The event with the state in which its transaction leaves its rows. */
export async function withRows(event: AuditEvent, tx: Tx, readRows: ReadRows): Promise<AuditEvent> {
  const rows = await readRows(tx, event)
  return Object.keys(rows).length === 0 ? event : Object.assign({}, event, { rows, rowsAt: Date.now() })
}

/**
 * A transaction that commits only after its record is on the disk: what cannot be recorded is not committed
 * (docs/decisions/0004). Every change of the appliance goes through here.
 * @param prepare reads what the record says of the change; what comes back puts it on the disk
 */
export function createRecordedCommit(
  store: Pick<Store, 'transaction'>,
  prepare: (tx: Tx) => Promise<() => Promise<void>>,
): Commit {
  return (work, options) =>
    store.transaction(async (tx) => {
      const result = await work(tx)
      beforeCommit(tx, await prepare(tx))
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
  readonly readRows: ReadRows
}): ApplianceCommit {
  const { store, audit, clock, readRows } = dependencies
  return (operation, note, work) => {
    const event = { operation, requestId: randomUUID(), outcome: 'allowed', username: 'appliance', ...note }
    return createRecordedCommit(store, async (tx) => {
      const recorded = await withRows({ at: clock.now(), ...event }, tx, readRows)
      return () => audit.append(recorded)
    })(work)
  }
}
