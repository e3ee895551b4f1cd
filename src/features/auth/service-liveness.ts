import { LRUCache } from 'lru-cache'
import { createAddressList } from '../../access/address-list.ts'
import { Fault } from '../../fault.ts'
import { hasEnded, readServiceAccount, type ServiceAccount } from '../../hsm/service-account.ts'
import type { LivenessDependencies } from './session-liveness.ts'

interface KeptAccount {
  readonly text: string
  readonly account: ServiceAccount
  readonly isAllowed: (address: string) => boolean
}

/** Number of accounts kept in memory; the least recently used one is dropped and read again. */
const maxAccounts = 1_000

/**
 * Whether a service account, by its present row, has not ended and may call from an address. The row is parsed once per
 * generation. The keeper checks it again before any key is used.
 */
export function createServiceLiveness(): LivenessDependencies['isServiceAlive'] {
  const kept = new LRUCache<number, KeptAccount>({ max: maxAccounts })
  return ({ user_id: userId, service }, address, now) => {
    const known = kept.get(userId)
    const found = known !== undefined && known.text === service ? known : readAccount(service ?? '')
    if (found !== known) kept.set(userId, found)
    return !hasEnded(found.account, now) && found.isAllowed(address)
  }
}

/** @throws Fault `hsm.seal_broken` for a text that cannot be read: the keeper seals no such text, so it was edited */
export function readAccount(text: string): KeptAccount {
  try {
    const account = readServiceAccount(text)
    const list = createAddressList(account.addresses)
    return { text, account, isAllowed: account.addresses.length === 0 ? () => true : list }
  } catch (cause) {
    throw new Fault('hsm.seal_broken', 'The row of a service account was altered outside Strongroom.', { cause })
  }
}
