import { expect } from 'vitest'
import { findExpired, listSessions, sweepSessions } from '../../../src/features/auth/session-records.ts'
import { listServices, listUsers } from '../../../src/features/users/records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const now = Date.now()

const statements = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
     passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
   VALUES (1, 'alice', 'Alice', 'alice@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, 'alice')`,
  `INSERT INTO application_keys (id, name, key_check, created_at) VALUES (7, 'payroll', '', 5)`,
  ...[1, 2].map(
    (id) =>
      `INSERT INTO sessions (id, user_id, application_key_id, address, created_at, last_seen_at, expires_at)
       VALUES (${id}, 1, 7, '192.0.2.1', ${now}, ${now}, ${now + 1_000})`,
  ),
  `INSERT INTO session_tokens (hash, session_id, issued_at) VALUES ('a hash', 2, 5)`,
]

describeUpgrade(
  'sessions and users of the release before are those of people, and stay',
  { before: 'ServiceAccounts1700000000034', statements },
  async (store) => {
    expect(await listUsers(store.read)).toMatchObject([{ username: 'alice', service: null }])
    expect(await listServices(store.read)).toEqual([])
    const listed = { username: 'alice', application: 'payroll', credential: null }
    expect(await listSessions(store.read, 1)).toMatchObject([
      { id: 2, ...listed },
      { id: 1, ...listed },
    ])
    const tokens = await store.read.query('SELECT session_id FROM session_tokens')
    expect(tokens.map((row: { session_id: unknown }) => Number(row.session_id))).toEqual([2])
    expect(await findExpired(store.read, 0, 0, now + 5_000)).toEqual([])
    await store.transaction((tx) => sweepSessions(tx, now + 1, now + 5_000))
    expect(await store.read.query('SELECT session_id FROM session_tokens')).toEqual([])
    // A session of a service account has no application key.
    await store.transaction((tx) =>
      tx.query(
        `INSERT INTO sessions (user_id, application_key_id, address, created_at, last_seen_at, expires_at, credential)
         VALUES (1, NULL, '192.0.2.1', 5, 5, 9, 'ab')`,
      ),
    )
    expect(await findExpired(store.read, 0, 0, 10)).toHaveLength(1)
    expect(await findExpired(store.read, 6, 6, 8)).toEqual([])
  },
)
