import { expect } from 'vitest'
import { countRows } from '../../../src/daemon/monitor/row-counts.ts'
import { describeUpgrade } from '../../support/earlier-database.ts'

const device = (id: number, kind: string, counter: number, user: string): string =>
  `INSERT INTO otp_devices (id, kind, public_id, user_id, key_kind, kek, blob, seal, counter, created_at, drift_steps)
   VALUES (${id}, '${kind}', 'id${id}', ${user}, 'aes128', '', '', '', ${counter}, 5, 0)`

const version = (key: number, number: number, invocations: number): string =>
  `INSERT INTO key_versions (key_id, version, kek, blob, created_at, seal, invocations, invocations_seal)
   VALUES (${key}, ${number}, '', '', 5, '', ${invocations}, '')`

const key = (id: number, latest: number, deleted: string): string =>
  `INSERT INTO transparent_keys (id, vault_id, name, type, info, allow_export, allow_backup, allow_delete, latest_version,
     min_encryption_version, min_decryption_version, created_at, seal, deleted_at)
   VALUES (${id}, 3, 'key${id}', 'aes256-gcm96', '', 0, 0, 1, ${latest}, 0, 1, 5, '', ${deleted})`

/** Counter of a token that was plugged in so many times. Its low byte counts the presses since then. */
const plugged = (times: number): number => times * 256 + 3

const statements = [
  `INSERT INTO users (id, username, fullname, email, capabilities, passphrase_salt, passphrase_check, passphrase_cost,
     passphrase_changed_at, failed_logins, key_kek, key_blob, public_key, fingerprint, created_at, search_text)
   VALUES (1, 'alice', 'Alice', 'alice@example.test', 131, '', '', 'm=8192,t=1', 5, 0, '', '', '', '', 5, 'alice')`,
  device(1, 'hwkey_otp', plugged(31_766), '1'),
  device(2, 'hwkey_otp', plugged(31_767), '1'),
  device(3, 'hwkey_otp', plugged(32_767), '1'),
  device(4, 'hwkey_otp', plugged(32_767), 'NULL'),
  device(5, 'totp', 58_000_000, '1'),
  `INSERT INTO vaults (id, name, policy_id, description, key_id, created_at) VALUES (3, 'Ledgers', 16, '', 'aa', 5)`,
  key(1, 2, 'NULL'),
  key(2, 1, 'NULL'),
  key(3, 1, '7'),
  key(4, 1, 'NULL'),
  // An older version, versions just below and above three quarters, one of a deleted key, and a permanently closed one.
  version(1, 1, 3_900_000_000),
  version(1, 2, 3_221_225_471),
  version(2, 1, 3_221_225_472),
  version(3, 1, 3_900_000_000),
  version(4, 1, 4_294_967_296),
  `INSERT INTO application_keys (id, name, key_check, created_at) VALUES (1, 'app', '', 5)`,
  ...[1, 2, 3].map(
    (id) =>
      `INSERT INTO sessions (id, user_id, application_key_id, address, created_at, last_seen_at, ended_at)
       VALUES (${id}, 1, 1, '192.0.2.1', ${id}, ${id === 3 ? 5 : Date.now()}, ${id === 2 ? '11' : 'NULL'})`,
  ),
]

describeUpgrade(
  'in a database of the release before, the monitor counts what is near its end',
  { before: 'IndicesOfMonitor1700000000033', statements },
  async (store) => {
    expect(await countRows(store.read)).toEqual({ openSessions: 1, wornTokens: 2, usedUpVersions: 1 })
  },
)
