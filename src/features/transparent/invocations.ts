import { LRUCache } from 'lru-cache'
import { isFault } from '../../fault.ts'
import type { SealedGrant } from '../../access/acting.ts'
import type { Granted } from '../../access/caller.ts'
import { createReservation, type ReservationDependencies } from './lease-reservation.ts'
import type { KeyVersion, TransparentKey } from './records.ts'

export interface Invocations {
  /**
   * Allows `count` encryptions with this key version; what is to be reserved for them is reserved by the caller's grant.
   * @throws Fault `key.exhausted` when 2^32 are reached (NIST SP 800-38D §8.3), `key.tampered` when the count was
   * edited
   */
  spend(by: Granted, key: TransparentKey, version: number, count: number): Promise<void>
  /** The count to write for a new version: the first lease, which this worker then holds. */
  readonly firstLease: number
  /** Takes over the first lease of a version that this worker has just made, less what was spent of it already. */
  adopt(version: KeyVersion, spent: number): void
}

/** Leases held at once; a forgotten one is only lost to the count. */
const maxLeases = 100_000

/**
 * Counts encryptions per key version without a write per encryption: a worker reserves a block in the database, then
 * spends it in memory. After a crash the count is too high, never too low.
 */
export function createInvocations({ store, hsm, leaseSize }: ReservationDependencies): Invocations {
  const remaining = new LRUCache<string, { count: number }>({ max: maxLeases })
  const underWay = new Map<string, Promise<void>>()

  const reserve = createReservation({ store, hsm, leaseSize })

  async function lease(grant: SealedGrant, key: TransparentKey, version: number, atLeast: number): Promise<void> {
    const reserved = await reserve({ grant, key, version, atLeast })
    const name = leaseName(key.id, version)
    // What is left of the last lease is still reserved: it was too little for many at once.
    remaining.set(name, { count: reserved + (remaining.get(name)?.count ?? 0) })
  }

  function spendHeld(name: string, count: number): boolean {
    const held = remaining.get(name)
    if (held === undefined || held.count < count) return false
    held.count -= count
    return true
  }

  /** Callers that come while a lease is being taken wait for that one, and not for what its caller alone is refused. */
  function leaseOnce(name: string, take: () => Promise<void>): Promise<void> {
    const already = underWay.get(name)
    if (already) return already.catch(ignoreRefusalOfCaller)
    const taking = take().finally(() => underWay.delete(name))
    underWay.set(name, taking)
    return taking
  }

  return {
    firstLease: leaseSize,
    adopt: (version, spent) =>
      void remaining.set(leaseName(version.keyId, version.version), { count: version.invocations - spent }),
    async spend(by, key, version, count) {
      const name = leaseName(key.id, version)
      if (spendHeld(name, count)) return
      // Asked for first: a caller without one fails alone, and not those who wait for the same lease.
      const grant = await by.grant()
      while (!spendHeld(name, count)) await leaseOnce(name, () => lease(grant, key, version, count))
    },
  }
}

const leaseName = (keyId: number, version: number): string => `${keyId}.${version}`

/** What the keeper says of the caller who takes a lease holds for no other. */
const refusalsOfCaller = ['session.invalid', 'access.permission', 'hsm.rejected'] as const

function ignoreRefusalOfCaller(error: unknown): void {
  if (!refusalsOfCaller.some((code) => isFault(error, code))) throw error
}
