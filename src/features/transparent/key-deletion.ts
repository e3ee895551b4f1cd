import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store } from '../../store/store.ts'
import type { Destruction } from '../destruction/pending-destruction.ts'
import { endKey } from './key-end.ts'
import { existing } from './key-versions.ts'
import type { CommitForKey } from './rotation-commit.ts'
import { findDeletedBefore, type StoredKey, type TransparentKey } from './records.ts'
import { checkPolicy, createKeyRows } from './sealing.ts'

/**
 * Deletion of keys, and its reversal within the recovery window. Every method may also throw `hsm.*` and `store.*`
 * faults, and `key.tampered`.
 */
export interface KeyDeletion {
  /**
   * Ends every use of a key. It can be taken back until it is destroyed.
   * @throws Fault `key.not_found`, `key.delete_forbidden`
   */
  remove(stored: StoredKey | undefined, commit: Commit): Promise<TransparentKey>
  /** @throws Fault `key.not_found` unless it is deleted */
  takeBack(stored: StoredKey | undefined, commit: Commit): Promise<TransparentKey>
  /** How long a deleted key can be taken back. */
  readonly recoveryWindowMs: number
  /** Destroys keys whose recovery window has passed, a bounded number. */
  destroyExpired(): Promise<readonly TransparentKey[]>
}

const waiting = ['key.tampered', 'hsm.outdated', 'hsm.rejected'] as const
/** Keys that one call destroys at most. */
const destroyedAtOnce = 100

export function createKeyDeletion(dependencies: {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'seal' | 'sealTombstone' | 'verify' | 'raise'>
  readonly destruction: Pick<Destruction, 'destroyPending'>
  readonly clock: Clock
  readonly recoveryWindowMs: number
  readonly commitAsAppliance: CommitForKey
}): KeyDeletion {
  const { store, hsm, destruction, clock, recoveryWindowMs, commitAsAppliance } = dependencies
  const rows = createKeyRows(hsm)

  /** False where an Admin has taken it back meanwhile. */
  async function destroy(key: TransparentKey): Promise<boolean> {
    await checkPolicy(hsm, key)
    try {
      await commitAsAppliance('transparent.key.destroy', key, (tx) => endKey(hsm, tx, key, clock.now()))
      return true
    } catch (error) {
      if (isFault(error, 'store.conflict')) return false
      throw error
    }
  }

  return {
    recoveryWindowMs,
    remove: (stored, commit) =>
      rows.change(existing(stored).key, commit, (current) => {
        if (current.allowDelete !== 1) throw new Fault('key.delete_forbidden')
        return Promise.resolve({ ...current, deletedAt: clock.now() })
      }),

    takeBack(stored, commit) {
      if (stored === undefined || stored.key.deletedAt === null)
        throw new Fault('key.not_found', 'There is no deleted key of this name in the vault.')
      return rows.change(stored.key, commit, (current) => Promise.resolve({ ...current, deletedAt: null }))
    },

    async destroyExpired() {
      const expired = await findDeletedBefore(store.read, clock.now() - recoveryWindowMs, destroyedAtOnce)
      const destroyed: TransparentKey[] = []
      const tampered: unknown[] = []
      for (const key of expired) {
        try {
          if (await destroy(key)) destroyed.push(key)
        } catch (error) {
          // A row that was edited or put back is left for the operator; the keys after it are destroyed all the same.
          if (!waiting.some((code) => isFault(error, code))) throw error
          tampered.push(error)
        }
      }
      if (destroyed.length > 0) await destruction.destroyPending().catch(() => [])
      if (tampered.length > 0) throw tampered[0]
      return destroyed
    },
  }
}
