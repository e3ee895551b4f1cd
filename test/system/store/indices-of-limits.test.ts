import { expect } from 'vitest'
import { serviceSessionsBeyond } from '../../../src/features/auth/session-records.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const session = (id: number, credential: string, ended: string): string =>
  `INSERT INTO sessions (id, user_id, application_key_id, address, created_at, last_seen_at, ended_at, credential, expires_at)
   VALUES (${id}, 1, NULL, '192.0.2.1', ${id}, ${id}, ${ended}, ${credential}, ${id + 100})`

const statements = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
     passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
   VALUES (1, 'column', 'Column', '', 128, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, 'column')`,
  session(1, "'a'", 'NULL'),
  session(2, "'a'", '7'),
  session(3, "'b'", 'NULL'),
  session(4, 'NULL', 'NULL'),
  session(5, "'a'", 'NULL'),
]

describeUpgrade(
  'in a database of the release before, the open sessions of a service account are counted',
  { before: 'IndicesOfLimits1700000000042', statements },
  async (store) => {
    expect((await serviceSessionsBeyond(store.read, 1, 2)).map(Number)).toEqual([1])
    expect(await serviceSessionsBeyond(store.read, 1, 3)).toEqual([])
  },
)
