import type { SealedGrant } from '../../access/acting.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { UnusedKey } from '../../hsm/sealing-port.ts'
import { createNewRows } from '../../store/new-rows.ts'
import type { Reader, Store } from '../../store/store.ts'
import { findPending, findTombstones, forgetPending } from './records.ts'

/** Undefined where no caller asked. */
export type CallersGrant = () => Promise<SealedGrant | undefined>

/** The end of what is gone from the database: in the token, and in the memory of the keeper. */
export interface Destruction {
  /**
   * Destroys the objects of the token whose keys have ended, a bounded number; resolves to their ids. One that cannot be
   * destroyed keeps no other from it, and is tried again at the next call.
   */
  destroyPending(): Promise<readonly string[]>
  /**
   * An object that was made goes, unless some row names it: a commit that failed may have happened all the same. Where
   * that cannot be told, or was too long ago, it is left behind as waste. The grant is that of the caller it was made for.
   */
  discard(made: UnusedKey, isNamed: (reader: Reader) => Promise<boolean>, grant: CallersGrant): Promise<void>
  /** Shows the keeper the tombstones that it may not know: of other machines, or of a commit while it was down. */
  showTombstones(): Promise<void>
}

/** Objects that one call destroys at most. */
const destroyedAtOnce = 100

export function createDestruction(dependencies: {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'destroyObject' | 'sealUnused' | 'raise'>
}): Destruction {
  const { store, hsm } = dependencies

  return {
    async destroyPending() {
      const destroyed: string[] = []
      const failed: unknown[] = []
      for (const { objectId, key, mark } of await findPending(store.read, destroyedAtOnce)) {
        try {
          await hsm.raise([mark])
          await hsm.destroyObject(key, mark)
          await store.transaction((tx) => forgetPending(tx, objectId))
          destroyed.push(objectId)
        } catch (error) {
          failed.push(error)
        }
      }
      if (failed.length > 0) throw failed[0]
      return destroyed
    },

    async discard(made, isNamed, grant) {
      try {
        if (await isNamed(store.read)) return
        const unused = await hsm.sealUnused(made, await grant())
        await hsm.destroyObject(unused, unused)
      } catch {
        // The error that led here is the one to tell.
      }
    },

    showTombstones: createNewRows(
      (after, most) => findTombstones(store.read, after, most),
      (tombstones) => hsm.raise(tombstones),
    ),
  }
}
