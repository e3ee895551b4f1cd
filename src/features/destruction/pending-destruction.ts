import type { SealedGrant } from '../../access/transaction-grant.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { UnusedKey } from '../../hsm/sealing-port.ts'
import { createNewRows } from '../../store/new-rows.ts'
import type { Reader, Store } from '../../store/store.ts'
import { findPending, findTombstones, forgetPending } from './records.ts'

/** Resolves to undefined where no caller is involved. */
export type CallersGrant = () => Promise<SealedGrant | undefined>

/** Destroys what the database no longer refers to: objects in the token, and records in the keeper's memory. */
export interface Destruction {
  /**
   * Destroys a bounded number of token objects whose keys have ended; resolves to their ids. An object that cannot be
   * destroyed does not stop the others, and is tried again by the next call.
   */
  destroyPending(): Promise<readonly string[]>
  /**
   * Destroys an object that was created but not used, unless a row refers to it, since a commit that reported a failure
   * may have succeeded. Where that cannot be determined, or too much time has passed, the object is left in the token.
   * The grant is that of the caller for whom it was created.
   */
  discard(made: UnusedKey, isNamed: (reader: Reader) => Promise<boolean>, grant: CallersGrant): Promise<void>
  /**
   * Shows the keeper the tombstones that it may have missed: those of other machines, and those committed while it was
   * down.
   */
  showTombstones(): Promise<void>
}

/** Objects destroyed per call. */
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
        // Ignored, so that the caller reports the error that led here.
      }
    },

    showTombstones: createNewRows(
      (after, most) => findTombstones(store.read, after, most),
      (tombstones) => hsm.raise(tombstones),
    ),
  }
}
