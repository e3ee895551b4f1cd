import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { DailyUse, LimitedItems } from '../../access/daily-use.ts'
import type { MembershipKey } from '../../access/permission.ts'
import type { KeyEntry } from '../../access/scope.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { createKeyedMutex } from '../../store/concurrency.ts'
import type { Store } from '../../store/store.ts'
import { reserveUses } from './grant-use-records.ts'

const dayMs = 86_400_000
/** Number of leases in memory. The rest of a dropped lease is lost until the next day. */
const mostLeases = 100_000
/** A worker reserves a hundredth of the daily limit at a time, which bounds its database writes. */
const leasesOfADay = 100

interface Lease {
  readonly day: number
  left: number
}

/**
 * Counts items against daily limits. Workers reserve items in the database and spend them in memory: all workers
 * together never exceed the limit, and what a worker has left when the day or the worker ends is lost. Only workers
 * count, so a compromised worker can count less.
 */
export function createDailyItems({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'transaction'>
  readonly clock: Clock
}): DailyUse {
  const leases = new LRUCache<string, Lease>({ max: mostLeases })
  const userMutex = createKeyedMutex()

  const heldOf = (name: string): Lease | undefined => {
    const lease = leases.get(name)
    return lease !== undefined && lease.day >= today(clock) ? lease : undefined
  }

  function takeHeld(name: string, count: number): boolean {
    const held = heldOf(name)
    if (held === undefined || held.left < count) return false
    held.left -= count
    return true
  }

  /** Takes `count` items under an entry; false where fewer are left today. */
  async function take(member: MembershipKey, entry: KeyEntry, count: number): Promise<boolean> {
    const most = entry.daily ?? Infinity
    const key = { vaultId: member.vaultId, userId: member.userId, entry: hashOf(entry) }
    const name = leaseName(member, entry)
    if (takeHeld(name, count)) return true
    // Parallel calls of one member share a lease.
    return userMutex(member.userId, async () => {
      while (!takeHeld(name, count)) {
        const atLeast = count - (heldOf(name)?.left ?? 0)
        const wanted = Math.max(atLeast, Math.floor(most / leasesOfADay))
        const reserved = await store.transaction((tx) => reserveUses(tx, key, today(clock), { atLeast, wanted, most }))
        if (reserved.count === 0) return false
        // Read again, since parallel calls may have spent from it and the day may have ended.
        const held = heldOf(name)
        if (held?.day === reserved.day) held.left += reserved.count
        else leases.set(name, { day: reserved.day, left: reserved.count })
      }
      return true
    })
  }

  function giveBack(member: MembershipKey, entry: KeyEntry, count: number): void {
    const held = heldOf(leaseName(member, entry))
    if (held !== undefined) held.left += count
  }

  return {
    async spend(member, items) {
      const taken: [KeyEntry, number][] = []
      for (const { entries, count } of items) {
        const entry = await firstThat(entries, (one) => take(member, one, count))
        if (entry === undefined) {
          for (const [one, spent] of taken) giveBack(member, one, spent)
          throw usedUp(entries, clock)
        }
        taken.push([entry, count])
      }
    },
  }
}

async function firstThat(
  entries: readonly KeyEntry[],
  take: (entry: KeyEntry) => Promise<boolean>,
): Promise<KeyEntry | undefined> {
  for (const entry of entries) if (await take(entry)) return entry
  return undefined
}

const today = (clock: Clock): number => Math.floor(clock.now() / dayMs)

function hashOf({ keys, operations, aad }: KeyEntry): string {
  return hash('sha256', JSON.stringify([keys, operations, aad]), 'base64')
}

/** The limit is part of the name: a changed limit begins a new lease. */
const leaseName = ({ vaultId, userId }: MembershipKey, entry: KeyEntry): string =>
  `${vaultId} ${userId} ${JSON.stringify(entry)}`

function usedUp(entries: LimitedItems['entries'], clock: Clock): Fault {
  const [first] = entries
  const sentence = `Your grants in this vault allow ${String(first?.daily)} items a day (UTC) with the keys ${String(first?.keys)}, and fewer are left than this call has: wait until tomorrow, or ask an Admin of the vault.`
  return new Fault('access.used_up', sentence, { retryAfterMs: (today(clock) + 1) * dayMs - clock.now() })
}
