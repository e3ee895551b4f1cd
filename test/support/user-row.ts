import { capabilitiesOf } from '../../src/access/capabilities.ts'
import type { NewUserRow } from '../../src/features/users/records.ts'

/** The row of a user who exists in the database alone, for tests without a token: nobody could seal it. */
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
