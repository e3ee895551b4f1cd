import { vaultKek } from '../../hsm/key-kind.ts'
import type { Store } from '../../store/store.ts'
import { findDoomedKeys, forgetDoomedKey, isKeyInUse } from './records.ts'
import type { VaultKey, VaultKeys } from './vault-key.ts'

/** Destroys data keys that no vault needs. */
export interface KeyDisposal {
  /** After a creation that failed. */
  discard(key: VaultKey): Promise<void>
  /** The keys of deleted vaults that are still in the token, a bounded number; resolves to their ids. */
  destroyDoomed(): Promise<readonly string[]>
}

/** Keys that one call destroys at most. */
const destroyedAtOnce = 100

export function createKeyDisposal(store: Store, vaultKeys: Pick<VaultKeys, 'destroy'>): KeyDisposal {
  return {
    async discard(key) {
      try {
        // A commit that failed may have happened all the same: only a key that the database does not know goes.
        if (!(await isKeyInUse(store.read, key.keyId))) await vaultKeys.destroy(key)
      } catch {
        // Left behind as waste; the error that led here is the one to tell.
      }
    },

    async destroyDoomed() {
      const doomed = await findDoomedKeys(store.read, destroyedAtOnce)
      for (const { keyId } of doomed) {
        // A database that was put together from two could still need it.
        if (!(await isKeyInUse(store.read, keyId))) await vaultKeys.destroy({ keyId, keyKek: vaultKek })
        await store.transaction((tx) => forgetDoomedKey(tx, keyId))
      }
      return doomed.map(({ keyId }) => keyId)
    },
  }
}
