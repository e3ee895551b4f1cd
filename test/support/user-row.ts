import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { findUserById, type NewUserRow, type User } from '../../src/features/users/records.ts'
import type { TestAppliance } from './appliance.ts'

/** The stored row of a user or service account. */
export async function accountRow(
  { store }: Pick<TestAppliance, 'store'>,
  { id }: { readonly id: number },
): Promise<User> {
  const row = await findUserById(store.read, id)
  if (row === null) throw new Error(`there is no account ${id}`)
  return row
}

/** The row of a user who exists only in the database, for tests without a token whose keeper would seal it. */
export function userRow(username: string): NewUserRow {
  return {
    username,
    fullname: `User ${username}`,
    email: `${username}@example.test`,
    capabilities: capabilitiesOf(['read', 'active']),
    passphraseSalt: Buffer.alloc(16),
    passphraseCheck: Buffer.alloc(32),
    passphraseCost: 'm=8192,t=1',
    passphraseStrength: 4,
    passphraseChangedAt: 0,
    keyKek: 'none',
    keyBlob: Buffer.alloc(0),
    publicKey: Buffer.alloc(0),
    fingerprint: '0'.repeat(40),
    createdAt: 0,
    madeBy: null,
    passphraseBy: null,
  }
}
