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

/** What becomes of deleted objects in the end. */
export interface ObjectDestruction {
  /** Destroys objects whose recovery window has passed, a bounded number; resolves to those. */
  destroyExpired(): Promise<Pick<VaultObject, 'id' | 'vaultId'>[]>
  /** Lets go of uploads that no object has; resolves to how many. */
  sweepUploads(): Promise<number>
  /**
   * Destroys most of the deleted objects of a vault that is about to go, in groups: one transaction for many thousands would keep
   * all who write waiting. A bounded number is left for `clearVault`. `announce` is told of each group before it goes.
   */
  thinTrash(vaultId: number, announce: AnnounceGroup): Promise<void>
  /**
   * Destroys the deleted objects of a vault that is about to go. Resolves to how many others are in it; with any,
   * nothing is destroyed.
   */
  clearVault(tx: Tx, vaultId: number): Promise<number>
}

const destroyedAtOnce = 100
/** Of a vault that goes; some 30 ms of the writer of SQLite. */
const clearedAtOnce = 500

export interface ObjectDestructionDependencies {
  readonly store: Store
  readonly files: FileStore
  readonly clock: Clock
  readonly recoveryWindowMs: number
  /** Commits what the appliance does by itself, after a record that says so. */
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
