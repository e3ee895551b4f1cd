import { setTimeout as delay } from 'node:timers/promises'
import type { SealedGrant } from '../../access/acting.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { createGathering } from '../../store/concurrency.ts'
import type { Store, Tx } from '../../store/store.ts'
import { cipherOf, keyTypeOf } from './key-type.ts'
import { advanceInvocations, findVersion, type KeyVersion, type TransparentKey } from './records.ts'
import { invocationsRecord, raiseAfter, sealedCount, sealInPlaceOf, trusting } from './sealing.ts'

/** What is to be reserved of the count of a version, by whose grant. */
export interface Lease {
  readonly grant: SealedGrant
  readonly key: TransparentKey
  readonly version: number
  readonly atLeast: number
}

interface AskedLease extends Lease {
  readonly resolve: (count: number) => void
  readonly reject: (error: unknown) => void
}

interface SealedLease {
  readonly count: number
  readonly version: KeyVersion
  readonly next: SealedRecord & { readonly invocations: number }
}

/** Most leases of one transaction: the database is locked for so long. */
const mostAtOnce = 64
/** Other workers may be quicker, each time: of those who meet one gets on. */
const maxTries = 100
const longestPauseMs = 128

export interface ReservationDependencies {
  readonly store: Pick<Store, 'transaction'>
  readonly hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'>
  readonly leaseSize: number
}

/**
 * Reserves blocks of counts: what comes while the disk is busy with one transaction goes into the next, with one frame
 * to the keeper and one sync, because each of these wakes a process. One that fails spoils no other.
 */
export function createReservation(on: ReservationDependencies): (lease: Lease) => Promise<number> {
  const leases = createGathering<AskedLease>(mostAtOnce, (asked) =>
    // Two workers that lock the same rows of PostgreSQL must not do it crosswise.
    reserveAll(
      on,
      asked.toSorted((one, other) => one.key.id - other.key.id || one.version - other.version),
    ),
  )
  const reserve = (lease: Lease) =>
    new Promise<number>((resolve, reject) => {
      leases.add({ ...lease, resolve, reject })
    })
  return async (lease) => {
    for (let tried = 1; ; tried++) {
      try {
        return await reserve(lease)
      } catch (error) {
        if (!isFault(error, 'store.conflict') || tried === maxTries) throw error
        // Workers that met here would meet again.
        await delay(Math.random() * Math.min(2 ** tried, longestPauseMs))
      }
    }
  }
}

async function reserveAll(on: ReservationDependencies, asked: readonly AskedLease[]): Promise<void> {
  try {
    const outcomes = await on.store.transaction(async (tx) => {
      const sealed = await Promise.allSettled(asked.map((lease) => sealLease(on, tx, lease)))
      const reserved: (() => void)[] = []
      const records: SealedRecord[] = []
      for (const [at, { resolve, reject }] of asked.entries()) {
        const one = sealed[at]
        if (one?.status !== 'fulfilled') reserved.push(() => reject(one?.reason))
        else if (await advanceInvocations(tx, one.value.version, one.value.next)) {
          records.push(one.value.next)
          reserved.push(() => resolve(one.value.count))
        } else reserved.push(() => reject(new Fault('store.conflict')))
      }
      if (records.length > 0) raiseAfter(on.hsm, tx, ...records)
      return reserved
    })
    for (const handOut of outcomes) handOut()
  } catch (error) {
    for (const { reject } of asked) reject(error)
  }
}

async function sealLease(
  { hsm, leaseSize }: ReservationDependencies,
  tx: Tx,
  { grant, key, version: number, atLeast }: Lease,
): Promise<SealedLease> {
  const version = await findVersion(tx, key.id, number)
  if (version === null) throw new Fault('key.version_unknown')
  const before = sealedCount(key, version)
  const left = cipherOf(keyTypeOf(key.type)).maxInvocations - version.invocations
  const count = Math.min(Math.max(leaseSize, atLeast), left)
  // This way round, because a count that was edited into a text is read as NaN. The keeper seals nothing in place of an
  // edited one; where it is not asked, a host is.
  if (!(count >= atLeast)) {
    await trusting(() => hsm.verify(before))
    throw new Fault('key.exhausted')
  }
  const invocations = version.invocations + count
  const record = invocationsRecord(key, number, invocations)
  const seal = await sealInPlaceOf(
    before,
    async () => (await findVersion(tx, key.id, number))?.invocationsSeal,
    () => hsm.seal(record, before, undefined, grant),
  )
  return { count, version, next: { invocations, record, seal } }
}
