import { LRUCache } from 'lru-cache'
import { isFault } from '../../fault.ts'
import type { SealedGrant } from '../../access/transaction-grant.ts'
import type { Granted } from '../../access/caller.ts'
import { createReservation, type ReservationDependencies } from './lease-reservation.ts'
import type { KeyVersion, TransparentKey } from './records.ts'

export interface Invocations {
  /**
   * Allows `count` encryptions with this key version, reserving more of them under the caller's grant where necessary.
   * @throws Fault `key.exhausted` when 2^32 are reached (NIST SP 800-38D §8.3), `key.tampered` when the count was
   * edited
   */
  spend(by: Granted, key: TransparentKey, version: number, count: number): Promise<void>
  /** The count to store for a new version: its first lease, which this worker then holds. */
  readonly firstLease: number
  /** Holds the first lease of a version that this worker has just created, minus the `spent` encryptions. */
  holdFirstLease(version: KeyVersion, spent: number): void
}

/**
 * Number of leases in memory. The rest of a dropped lease is lost: the count is then higher than the encryptions made.
 */
const maxLeases = 100_000

/**
 * Counts encryptions per key version without a database write for each: a worker reserves a block in the database and
 * spends it in memory. A crash makes the count too high, never too low.
 */
export function createInvocations({ store, hsm, leaseSize }: ReservationDependencies): Invocations {
  const remaining = new LRUCache<string, { count: number }>({ max: maxLeases })
  const underWay = new Map<string, Promise<void>>()

  const reserve = createReservation({ store, hsm, leaseSize })

  async function lease(grant: SealedGrant, key: TransparentKey, version: number, atLeast: number): Promise<void> {
    const reserved = await reserve({ grant, key, version, atLeast })
    const name = leaseName(key.id, version)
    // The rest of the last lease, too small for this call, is still reserved: add it.
    remaining.set(name, { count: reserved + (remaining.get(name)?.count ?? 0) })
  }

  function spendHeld(name: string, count: number): boolean {
    const held = remaining.get(name)
    if (held === undefined || held.count < count) return false
    held.count -= count
    return true
  }

  /** Parallel callers wait for one lease. A refusal that concerns only the caller who takes it is not theirs. */
  function leaseOnce(name: string, take: () => Promise<void>): Promise<void> {
    const already = underWay.get(name)
    if (already) return already.catch(ignoreRefusalOfCaller)
    const taking = take().finally(() => underWay.delete(name))
    underWay.set(name, taking)
    return taking
  }

  return {
    firstLease: leaseSize,
    holdFirstLease: (version, spent) =>
      void remaining.set(leaseName(version.keyId, version.version), { count: version.invocations - spent }),
    async spend(by, key, version, count) {
      const name = leaseName(key.id, version)
      if (spendHeld(name, count)) return
      // The grant is asked for before the shared lease, so that a caller without one fails alone.
      const grant = await by.grant()
      while (!spendHeld(name, count)) await leaseOnce(name, () => lease(grant, key, version, count))
    },
  }
}

const leaseName = (keyId: number, version: number): string => `${keyId}.${version}`

/** The keeper's refusals that concern only the caller who takes the lease. */
const refusalsOfCaller = ['session.invalid', 'access.permission', 'hsm.rejected'] as const

function ignoreRefusalOfCaller(error: unknown): void {
  if (!refusalsOfCaller.some((code) => isFault(error, code))) throw error
}
