import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { lockVault } from '../vaults/records.ts'
import { adoptChild, releaseChild, statusBits, type VaultObject } from './records.ts'
import { newSearchText, putSearchTexts } from './search-text-records.ts'
import { checkSubtree } from './subtree-bounds.ts'
import { changeUnchanged, sizesOf } from './subtree-records.ts'
import { takeOutOfTrash, trashedWith, trashOf, type TrashedObject } from './trash-records.ts'

/** Deleted objects that can still be restored. */
export interface Trash {
  /** Deletions in a vault, newest first: at most a thousand. */
  list(vaultId: number): Promise<readonly TrashedObject[]>
  /** When an object that was deleted at this time will be destroyed. */
  destroyedAt(deletedAt: number): number
  /**
   * Deletes an object with all below it; resolves to the number of objects.
   * @throws Fault `object.not_found`, `object.invalid`, `store.conflict`
   */
  putWhole(object: Pick<VaultObject, 'id' | 'vaultId'>, by: TrashWriter): Promise<number>
  /**
   * Restores an object, with all that was deleted with it, to where it was, or to the root of its vault where its
   * parent does not exist any more.
   * @throws Fault `object.not_found`, `store.conflict`
   */
  takeBack(object: Pick<VaultObject, 'id' | 'vaultId'>, by: TrashWriter): Promise<{ parentId: number; objects: number }>
}

export interface TrashWriter {
  readonly userId: number
  readonly commit: Commit
}

const mostListed = 1_000
/** Limits of one deletion: it is restored by one call, too, for which the unencrypted fields are read. */
const mostTrashed = { objects: 500, openBytes: 32 * 1024 * 1024 }

export function createTrash({
  store,
  clock,
  recoveryWindowMs,
}: {
  readonly store: Pick<Store, 'read'>
  readonly clock: Clock
  readonly recoveryWindowMs: number
}): Trash {
  const since = (): number => clock.now() - recoveryWindowMs

  return {
    list: (vaultId) => trashOf(store.read, vaultId, since(), mostListed),
    destroyedAt: (deletedAt) => deletedAt + recoveryWindowMs,

    putWhole(object, { userId, commit }) {
      const put = async (tx: Tx): Promise<number> => {
        const rows = await sizesOf(tx, object, mostTrashed.objects + 1)
        checkSubtree(rows, mostTrashed, 'delete')
        const now = clock.now()
        for (const row of rows) {
          const change = {
            deletedAt: now,
            trashedWith: object.id,
            changedAt: now,
            changedBy: userId,
            status: row.status & ~statusBits.active,
            version: row.version + 1,
          }
          if (!(await changeUnchanged(tx, row, change))) throw new Fault('store.conflict')
        }
        await putSearchTexts(
          tx,
          rows.map(({ id, searchBytes }) => ({ id, searchText: '', bytes: searchBytes })),
        )
        const root = rows.find(({ id }) => id === object.id)
        if (root && root.parentId !== 0) await releaseChild(tx, root.parentId)
        return rows.length
      }
      return retryOvertaken(() => commit(put))
    },

    takeBack(object, { userId, commit }) {
      const take = async (tx: Tx): Promise<{ parentId: number; objects: number }> => {
        // Makes moves wait, so that the parent still exists when the transaction ends.
        await lockVault(tx, object.vaultId)
        const rows = await trashedWith(tx, object, since())
        const [root] = rows
        if (root?.id !== object.id) throw new Fault('object.not_found')
        const isParentThere = root.parentId !== 0 && (await adoptChild(tx, root.parentId, object.vaultId))
        const parentId = isParentThere ? root.parentId : 0
        for (const row of rows) {
          const change = {
            parentId: row === root ? parentId : row.parentId,
            changedAt: clock.now(),
            changedBy: userId,
            status: row.status | statusBits.active,
            version: row.version + 1,
          }
          if (!(await takeOutOfTrash(tx, row, change))) throw new Fault('store.conflict')
        }
        await putSearchTexts(tx, rows.map(newSearchText))
        return { parentId, objects: rows.length }
      }
      return retryOvertaken(() => commit(take))
    },
  }
}
