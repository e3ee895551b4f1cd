import { LRUCache } from 'lru-cache'
import { Fault, isFault } from '../fault.ts'
import type { Hsm } from '../hsm/hsm.ts'
import type { Store } from '../store/store.ts'
import { keyTypeOf } from './key-type.ts'
import { advanceInvocations, findVersion, invocationsRecord, type KeyVersion, type TransparentKey } from './records.ts'

export interface Invocations {
  /**
   * Allows one encryption with this key version.
   * @throws Fault `key.exhausted` when 2^32 are reached (NIST SP 800-38D §8.3), `key.tampered` when the count was edited
   */
  spend(key: TransparentKey, version: number): Promise<void>
  /** The count to write for a new version: the first lease, which this worker then holds. */
  readonly firstLease: number
  /** Takes over the first lease of a version that this worker has just made, less the one encryption it may have done. */
  adopt(version: KeyVersion): void
}

/** Leases held at once; a forgotten one is only lost to the count. */
const maxLeases = 100_000

export interface InvocationDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'seal' | 'verify'>
  readonly leaseSize: number
}

/**
 * Counts encryptions per key version without a write per encryption: a worker reserves a block in the database, then
 * spends it in memory. After a crash the count is too high, never too low.
 */
export function createInvocations({ store, hsm, leaseSize }: InvocationDependencies): Invocations {
  const remaining = new LRUCache<string, { count: number }>({ max: maxLeases })
  const underWay = new Map<string, Promise<void>>()

  async function lease(key: TransparentKey, versionNumber: number): Promise<void> {
    const reserved = await store.transaction(async (tx) => {
      const version = await findVersion(tx, key.id, versionNumber)
      if (version === null) throw new Fault('key.version_unknown')
      await verifyCount(version)
      const left = keyTypeOf(key.type).maxInvocations - version.invocations
      const count = Math.min(leaseSize, left)
      if (count <= 0) throw new Fault('key.exhausted')
      const invocations = version.invocations + count
      const invocationsSeal = await hsm.seal(invocationsRecord(key.id, versionNumber, invocations))
      if (!(await advanceInvocations(tx, { ...version, invocations, invocationsSeal }, version.invocations))) throw new Fault('store.conflict')
      return count
    })
    remaining.set(leaseName(key.id, versionNumber), { count: reserved })
  }

  async function verifyCount(version: KeyVersion): Promise<void> {
    try {
      await hsm.verify({ record: invocationsRecord(version.keyId, version.version, version.invocations), seal: version.invocationsSeal })
    } catch (cause) {
      throw isFault(cause, 'hsm.seal_broken') ? new Fault('key.tampered', undefined, { cause }) : cause
    }
  }

  /** Callers that come while a lease is being taken wait for that one. */
  function leaseOnce(name: string, key: TransparentKey, version: number): Promise<void> {
    const already = underWay.get(name)
    if (already) return already
    const taking = lease(key, version).finally(() => underWay.delete(name))
    underWay.set(name, taking)
    return taking
  }

  return {
    firstLease: leaseSize,
    adopt: (version) => void remaining.set(leaseName(version.keyId, version.version), { count: version.invocations - 1 }),
    async spend(key, version) {
      const name = leaseName(key.id, version)
      for (;;) {
        const held = remaining.get(name)
        if (held !== undefined && held.count > 0) {
          held.count -= 1
          return
        }
        await leaseOnce(name, key, version)
      }
    },
  }
}

const leaseName = (keyId: number, version: number): string => `${keyId}.${version}`
