import type { ApplianceCommit } from '../../audit/recorded-commit.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
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

type Expired = Pick<VaultObject, 'id' | 'vaultId'>

/** Final destruction of deleted objects and abandoned uploads. */
export interface ObjectDestruction {
  /** Destroys a bounded number of objects whose recovery window has passed; resolves to those. */
  destroyExpired(): Promise<Expired[]>
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
  readonly commitAsAppliance: ApplianceCommit
}

export function createObjectDestruction(dependencies: ObjectDestructionDependencies): ObjectDestruction {
  const { store, files, clock, recoveryWindowMs, commitAsAppliance } = dependencies

  /** False where it was taken back or destroyed meanwhile: then there is no record either. */
  async function destroy({ id, vaultId }: Expired, before: number): Promise<boolean> {
    try {
      await commitAsAppliance('object.destroy', { vault: String(vaultId), target: `object ${id}` }, async (tx) => {
        if (!(await holdDeleted(tx, id, before))) throw new Fault('store.conflict')
        await unbindUploads(tx, id, clock.now())
        await removeObject(tx, id)
      })
      return true
    } catch (error) {
      if (isFault(error, 'store.conflict')) return false
      throw error
    }
  }

  return {
    async destroyExpired() {
      const before = clock.now() - recoveryWindowMs
      const destroyed: Expired[] = []
      for (const { id, vaultId } of await deletedBefore(store.read, before, destroyedAtOnce))
        if (await destroy({ id, vaultId }, before)) destroyed.push({ id, vaultId })
      return destroyed
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
