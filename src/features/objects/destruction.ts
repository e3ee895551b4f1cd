import type { Clock } from '../../clock.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { AnnounceGroup } from '../vaults/vault.ts'
import { unbindUploads, unbindUploadsOf, unbindUploadsOfAll } from './file-records.ts'
import type { FileStore } from './file-store.ts'
import {
  countObjects,
  deletedBefore,
  findTrashed,
  holdDeleted,
  holdTrashed,
  removeDeletedOf,
  removeObject,
  removeObjects,
  type VaultObject,
} from './records.ts'

/** Final destruction of deleted objects and abandoned uploads. */
export interface ObjectDestruction {
  /** Destroys a bounded number of objects whose recovery window has passed; resolves to those. */
  destroyExpired(): Promise<Pick<VaultObject, 'id' | 'vaultId'>[]>
  /** Deletes uploads that belong to no object; resolves to how many. */
  sweepUploads(): Promise<number>
  /**
   * Destroys most of the trash of a vault that is about to be deleted, in groups: one transaction for many thousands of
   * objects would block all writers. A bounded number is left for `clearVault`. `announce` is told of each group first.
   */
  thinTrash(vaultId: number, announce: AnnounceGroup): Promise<void>
  /**
   * Destroys the trash of a vault that is about to be deleted. Resolves to the number of objects not in the trash; if
   * there are any, nothing is destroyed.
   */
  clearVault(tx: Tx, vaultId: number): Promise<number>
}

const destroyedAtOnce = 100
/** Objects per group: some 30 ms of SQLite's writer. */
const clearedAtOnce = 500

export interface ObjectDestructionDependencies {
  readonly store: Store
  readonly files: FileStore
  readonly clock: Clock
  readonly recoveryWindowMs: number
  /** Commits a change by the appliance itself, after its audit record. */
  readonly commitAsAppliance: <T>(
    operation: string,
    about: { vault: string; subject: string },
    work: (tx: Tx) => Promise<T>,
  ) => Promise<T>
}

export function createObjectDestruction(dependencies: ObjectDestructionDependencies): ObjectDestruction {
  const { store, files, clock, recoveryWindowMs, commitAsAppliance } = dependencies

  return {
    async destroyExpired() {
      const before = clock.now() - recoveryWindowMs
      const expired = await deletedBefore(store.read, before, destroyedAtOnce)
      for (const { id, vaultId } of expired)
        await commitAsAppliance('object.destroy', { vault: String(vaultId), subject: `object ${id}` }, async (tx) => {
          if (!(await holdDeleted(tx, id, before))) return
          await unbindUploads(tx, id, clock.now())
          await removeObject(tx, id)
        })
      return expired.map(({ id, vaultId }) => ({ id, vaultId }))
    },

    sweepUploads: () => files.sweep(),

    async thinTrash(vaultId, announce) {
      for (;;) {
        const ids = await findTrashed(store.read, vaultId, clearedAtOnce)
        if (ids.length < clearedAtOnce) return
        await announce(ids.length)
        await store.transaction(async (tx) => {
          const held = await holdTrashed(tx, ids)
          await unbindUploadsOfAll(tx, held, clock.now())
          await removeObjects(tx, held)
        })
      }
    },

    async clearVault(tx, vaultId) {
      const left = await countObjects(tx, vaultId)
      if (left > 0) return left
      await unbindUploadsOf(tx, vaultId, clock.now())
      await removeDeletedOf(tx, vaultId)
      return 0
    },
  }
}
