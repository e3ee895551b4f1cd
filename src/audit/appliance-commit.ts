import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Store, Tx } from '../store/store.ts'
import type { AuditEvent, AuditTrail } from './event.ts'

/** What a record of the appliance's own says beyond the operation. */
export type ApplianceNote = Omit<Partial<AuditEvent>, 'at' | 'operation' | 'requestId' | 'outcome'>

/** `Commit` for what the appliance does by itself, after a record that says so; without a name in the note it is its own. */
export type ApplianceCommit = <T>(operation: string, note: ApplianceNote, work: (tx: Tx) => Promise<T>) => Promise<T>

export interface ApplianceCommitDependencies {
  readonly store: Pick<Store, 'transaction'>
  readonly audit: Pick<AuditTrail, 'append'>
  readonly clock: Clock
}

export function createApplianceCommit({ store, audit, clock }: ApplianceCommitDependencies): ApplianceCommit {
  return (operation, note, work) =>
    store.transaction(async (tx) => {
      const result = await work(tx)
      const name = { username: 'appliance', ...note }
      await audit.append({ at: clock.now(), operation, requestId: randomUUID(), outcome: 'allowed', ...name })
      return result
    })
}
