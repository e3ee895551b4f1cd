import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { beforeCommit } from '../store/commit-work.ts'
import type { Commit, Store, Tx } from '../store/store.ts'
import type { AuditEvent, AuditTrail, RecordedRows } from './event.ts'

/** Reads the rows that a record is about, within the transaction that changes them. */
export type ReadRows = (tx: Tx, event: AuditEvent) => Promise<RecordedRows>

/** Adds to the event the state of its rows at the end of the transaction, beside those that the change itself named. */
export async function withRows(event: AuditEvent, tx: Tx, readRows: ReadRows): Promise<AuditEvent> {
  const rows = Object.assign({}, event.rows, await readRows(tx, event))
  return Object.keys(rows).length === 0 ? event : Object.assign({}, event, { rows, rowsAt: Date.now() })
}

/**
 * Creates a transaction that commits only after its audit record is on the disk: without a record there is no change
 * (docs/decisions/0004). All changes of the appliance use it.
 * @param prepare reads the data for the record; the function that it returns writes the record to the disk
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

/** Further fields of a record of the appliance's own work. */
export type ApplianceNote = Omit<Partial<AuditEvent>, 'at' | 'operation' | 'requestId' | 'outcome'>

/**
 * A recorded commit for work that the appliance does by itself. The record names the user `appliance` unless the note
 * gives a name.
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
