import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Commit, Store } from '../../store/store.ts'
import { lockVault } from '../vaults/records.ts'
import { searchTextOf } from './content.ts'
import { readObject } from './read-records.ts'
import { adoptChild, releaseChild, statusBits, type VaultObject } from './records.ts'
import { changeUnchanged, subtreeOf } from './subtree-records.ts'
import { takeOutOfTrash, trashedWith, trashOf, type TrashedObject } from './trash-records.ts'

/** Deleted objects, for as long as they can be taken back. */
export interface Trash {
  /** What was deleted in a vault, the newest first: a thousand at most. */
  list(vaultId: number): Promise<readonly TrashedObject[]>
  /** When what was deleted at a moment is destroyed. */
  destroyedAt(deletedAt: number): number
  /**
   * Deletes an object with all that lies in it; resolves to how many that were.
   * @throws Fault `object.not_found`, `object.invalid`, `store.conflict`
   */
  putWhole(object: Pick<VaultObject, 'id' | 'vaultId'>, by: TrashWriter): Promise<number>
  /**
   * Takes an object back, with all that was deleted with it, to where it was, or to the root of its vault where that is
   * gone. @throws Fault `object.not_found`, `store.conflict`
   */
  takeBack(object: Pick<VaultObject, 'id' | 'vaultId'>, by: TrashWriter): Promise<{ parentId: number; objects: number }>
}

export interface TrashWriter {
  readonly userId: number
  readonly commit: Commit
}

const mostListed = 1_000
/** As many as go into the trash in one call. */
const mostTrashed = 500

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

    putWhole: (object, { userId, commit }) =>
      commit(async (tx) => {
        const rows = await subtreeOf(tx, object, mostTrashed + 1)
        const [root] = rows
        if (root === undefined) throw new Fault('object.not_found')
        if (rows.length > mostTrashed)
          throw new Fault(
            'object.invalid',
            `More than ${mostTrashed} objects are too many for one call: delete what lies in it part by part.`,
          )
        const now = clock.now()
        for (const row of rows) {
          const change = {
            deletedAt: now,
            trashedWith: root.id,
            changedAt: now,
            changedBy: userId,
            searchText: '',
            status: row.status & ~statusBits.active,
            version: row.version + 1,
          }
          if (!(await changeUnchanged(tx, row, change))) throw new Fault('store.conflict')
        }
        if (root.parentId !== 0) await releaseChild(tx, root.parentId)
        return rows.length
      }),

    takeBack: (object, { userId, commit }) =>
      commit(async (tx) => {
        // Moves wait: what it lay in is to be there still.
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
            searchText: searchTextOf(readObject(row)),
            status: row.status | statusBits.active,
            version: row.version + 1,
          }
          if (!(await takeOutOfTrash(tx, row, change))) throw new Fault('store.conflict')
        }
        return { parentId, objects: rows.length }
      }),
  }
}
