import { expect } from 'vitest'
import { findExpired } from '../../../src/features/auth/session-records.ts'
import { findDeletedBefore } from '../../../src/features/transparent/records.ts'
import { searchPattern, selectUsers } from '../../../src/features/users/records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

/** Rows of the previous release: users, keys of which one was deleted, and sessions of which one has ended. */
const statements = [
  ...['alice', 'bob'].map(
    (name, at) =>
      `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
         passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
       VALUES (${at + 1}, '${name}', '${name} Example', '${name}@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5,
         '${name}\n${name} example\n${name}@example.test')`,
  ),
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
  ...['orders', 'parcels'].map(
    (name, at) =>
      `INSERT INTO transparent_keys (id, vault_id, name, type, info, allow_export, allow_backup, allow_delete, latest_version,
         min_encryption_version, min_decryption_version, created_at, seal, deleted_at)
       VALUES (${at + 1}, 3, '${name}', 'aes256-gcm96', '', 0, 0, 1, 1, 0, 1, 5, '', ${at === 0 ? 'NULL' : '7'})`,
  ),
  `INSERT INTO application_keys (id, name, key_check, created_at) VALUES (1, 'app', '', 5)`,
  ...[1, 2, 3].map(
    (id) =>
      `INSERT INTO sessions (id, user_id, application_key_id, address, created_at, last_seen_at, ended_at)
       VALUES (${id}, 1, 1, '192.0.2.1', ${id}, ${id * 10}, ${id === 2 ? '11' : 'NULL'})`,
  ),
  `INSERT INTO login_attempts (subject, failures, last_at, blocked_until) VALUES ('from 192.0.2.1: alice', 1, 5, 0)`,
]

describeUpgrade(
  'in a database of the release before, chores and searches find what they found',
  { before: 'IndicesOfChores1700000000029', statements },
  async (store) => {
    expect(await findDeletedBefore(store.read, 8, 10)).toMatchObject([{ name: 'parcels' }])
    expect(await findDeletedBefore(store.read, 7, 10)).toEqual([])
    expect(await findExpired(store.read, 11, 0, 0)).toEqual([1])
    expect(await findExpired(store.read, 0, 4, 0)).toEqual([1, 3])
    expect(await selectUsers(store.read, { pattern: searchPattern('BOB@', false) })).toMatchObject([{ id: 2 }])
    expect(await selectUsers(store.read, { pattern: searchPattern('', true) })).toHaveLength(2)
  },
)
