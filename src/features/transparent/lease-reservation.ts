import type { SealedGrant } from '../../access/transaction-grant.ts'
import { Fault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { createGathering } from '../../store/concurrency.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Store, Tx } from '../../store/store.ts'
import { cipherOf, keyTypeOf } from './key-type.ts'
import { advanceInvocations, findVersion, type KeyVersion, type TransparentKey } from './records.ts'
import { invocationsRecord, raiseAfter, sealedCount, sealInPlaceOf, mapBrokenSeal } from './sealing.ts'

/** The encryptions to reserve for a version, and the grant by which they are reserved. */
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

/** Leases per transaction, which bounds how long the database is locked. */
const mostAtOnce = 64

export interface ReservationDependencies {
  readonly store: Pick<Store, 'transaction'>
  readonly hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'>
  readonly leaseSize: number
}

/**
 * Reserves leases. Requests that arrive while a transaction is being written go together into the next one, with one
 * frame to the keeper and one sync, because each of these wakes a process. The failure of one lease does not affect the
 * others.
 */
export function createReservation(on: ReservationDependencies): (lease: Lease) => Promise<number> {
  const leases = createGathering<AskedLease>(mostAtOnce, (asked) =>
    // All workers lock in the same order, since PostgreSQL would detect a deadlock otherwise.
    reserveAll(
      on,
      asked.toSorted((one, other) => one.key.id - other.key.id || one.version - other.version),
    ),
  )
  const reserve = (lease: Lease) =>
    new Promise<number>((resolve, reject) => {
      leases.add({ ...lease, resolve, reject })
    })
  return (lease) => retryOvertaken(() => reserve(lease))
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
  // Written as a negation, because a count that was edited into a text is read as NaN. The keeper refuses to replace an
  // edited count; here, where it is not asked, a token host verifies the seal.
  if (!(count >= atLeast)) {
    await mapBrokenSeal(() => hsm.verify(before))
    throw new Fault('key.exhausted')
  }
  const invocations = version.invocations + count
  const record = invocationsRecord(key, number, invocations)
  const seal = await sealInPlaceOf(
    before,
    async () => (await findVersion(tx, key.id, number))?.invocationsSeal,
    () => hsm.seal(record, { previous: before, grant }),
  )
  return { count, version, next: { invocations, record, seal } }
}
