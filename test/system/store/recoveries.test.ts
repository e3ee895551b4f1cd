import { expect } from 'vitest'
import { standingOf } from '../../../src/features/auth/session-records.ts'
import { findUserById } from '../../../src/features/users/records.ts'
import { membersOf } from '../../../src/features/vaults/membership-records.ts'
import { vaultsOf } from '../../../src/features/vaults/records.ts'
import { openRecoveries } from '../../../src/features/vaults/on-hold-records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

/** Rows of the previous release about a user who shares a vault and is logged in. */
const statements = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
     passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
   VALUES (7, 'alice', 'Alice Example', 'alice@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, '')`,
  `INSERT INTO vaults (id, name, policy_id, description, key_id, key_kek, key_blob, key_seal, key_uses, created_at)
   VALUES (3, 'Ledgers', 16, '', 'aa', 'vault', '', '', 0, 5)`,
  'INSERT INTO vault_members (vault_id, user_id, permission, added_at) VALUES (3, 7, 4, 5)',
  `INSERT INTO application_keys (id, name, key_check, created_at) VALUES (1, 'app', '', 5)`,
  `INSERT INTO sessions (id, user_id, application_key_id, address, created_at, last_seen_at)
   VALUES (9, 7, 1, '192.0.2.1', 5, 5)`,
]

describeUpgrade(
  'a database of the release before has no membership on hold, and no user who is new',
  { before: 'Recoveries1700000000013', statements },
  async (store) => {
    // No earlier session has a seal: all of them ended with the upgrade.
    expect(await standingOf(store.read, 9, 3)).toBeUndefined()
    await store.query('UPDATE sessions SET ended_at = NULL', [])
    expect(await standingOf(store.read, 9, 3)).toEqual({ capabilities: 131, permission: 4, on_hold: 0, grants: null })
    expect(await vaultsOf(store.read, 7)).toMatchObject([{ id: 3, permission: 'Admin' }])
    expect(await membersOf(store.read, 3)).toMatchObject([{ userId: 7, passphraseBy: null }])
    expect(await openRecoveries(store.read, 3)).toEqual([])
    // Not as a new user, for whom the maker could still set factors.
    expect(await findUserById(store.read, 7)).toMatchObject({ recoveries: 0, madeBy: null, passphraseBy: null })
  },
)
