import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Keys of all types, with a life: rotation by age, disabled and trimmed versions, deletion with a way back. */
export class KeyLife1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of keyLifeStatements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('keys of new types could not be used any more: restore a backup of the database instead')
  }
}

const keyLifeStatements = [
  `ALTER TABLE transparent_keys ADD COLUMN residency text NOT NULL DEFAULT 'database'`,
  'ALTER TABLE transparent_keys ADD COLUMN allow_plaintext_export bigint NOT NULL DEFAULT 0',
  'ALTER TABLE transparent_keys ADD COLUMN auto_rotate_period_ms bigint NOT NULL DEFAULT 0',
  'ALTER TABLE transparent_keys ADD COLUMN oldest_version bigint NOT NULL DEFAULT 1',
  'ALTER TABLE transparent_keys ADD COLUMN deleted_at bigint',
  'ALTER TABLE key_versions ADD COLUMN public_key text',
  'ALTER TABLE key_versions ADD COLUMN disabled bigint NOT NULL DEFAULT 0',
  `ALTER TABLE vaults ADD COLUMN creates_keys_on_use bigint NOT NULL DEFAULT 1`,
  `ALTER TABLE vaults ADD COLUMN signing_permission bigint NOT NULL DEFAULT 2`,
]

/** HOTP tokens, remembered drift and time stamps, and seeds that are known again when they come back. */
export class OtpKinds1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of otpKindsStatements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('HOTP tokens could not be used any more: restore a backup of the database instead')
  }
}

const otpKindsStatements = [
  'ALTER TABLE otp_devices ADD COLUMN seed_check text',
  'ALTER TABLE otp_devices ADD COLUMN drift_steps bigint NOT NULL DEFAULT 0',
  'ALTER TABLE otp_devices ADD COLUMN ticks bigint',
  'ALTER TABLE otp_devices ADD COLUMN used_at bigint',
  'CREATE UNIQUE INDEX otp_devices_seed ON otp_devices (seed_check)',
]

/** The validator of hardware-token OTPs: its clients, and per device the last OTP that it accepted. */
export class ValidationClients1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const id =
      runner.connection.options.type === 'postgres'
        ? 'bigserial PRIMARY KEY'
        : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
    for (const statement of validationClientsStatements(id)) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('the keys of clients would be lost: restore a backup of the database instead')
  }
}

const validationClientsStatements = (id: string): string[] => [
  `CREATE TABLE validation_clients (
    id ${id},
    name text NOT NULL UNIQUE,
    allow_unsigned bigint NOT NULL,
    kek text NOT NULL,
    blob text NOT NULL,
    seal text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
  )`,
  `CREATE TABLE validated_otps (
    device_id bigint PRIMARY KEY NOT NULL REFERENCES otp_devices (id),
    counter bigint NOT NULL,
    nonce text NOT NULL
  )`,
]

/** Smartcards: one certificate per user at most, one user per certificate. */
export class Certificates1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE user_certificates (
      user_id bigint PRIMARY KEY NOT NULL REFERENCES users (id),
      fingerprint text NOT NULL UNIQUE,
      der text NOT NULL,
      seal text NOT NULL,
      created_at bigint NOT NULL
    )`)
  }

  async down(): Promise<void> {
    throw new Error('no smartcard could log in any more: restore a backup of the database instead')
  }
}

/** Session tokens that are counted, pass phrases whose age and strength is known, and what logins leave behind. */
export class Sessions1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of sessionsStatements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('what was counted would be lost: restore a backup of the database instead')
  }
}

const sessionsStatements = [
  'ALTER TABLE session_tokens ADD COLUMN uses bigint NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN passphrase_strength bigint',
  'ALTER TABLE users ADD COLUMN passphrase_changed_at bigint NOT NULL DEFAULT 0',
  'UPDATE users SET passphrase_changed_at = created_at',
  'ALTER TABLE users ADD COLUMN failed_logins bigint NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN last_failed_login_at bigint',
  `CREATE TABLE login_places (
    user_id bigint NOT NULL REFERENCES users (id),
    network text NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (user_id, network)
  )`,
]

/** Users can be searched for. Lower case by SQL is of ASCII alone; a row gets the full form when it next changes. */
export class People1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of peopleStatements) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN search_text')
  }
}

const peopleStatements = [
  `ALTER TABLE users ADD COLUMN search_text text NOT NULL DEFAULT ''`,
  `UPDATE users SET search_text = lower(username || '
' || fullname || '
' || email)`,
]

/** The data key of a vault, sealed to its vault, so that its objects can be encrypted with it. */
export class VaultKeys1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of vaultKeysStatements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error(
      'what the keys of vaults encrypt could not be read any more: restore a backup of the database instead',
    )
  }
}

const vaultKeysStatements = [
  `ALTER TABLE vaults ADD COLUMN key_kek text NOT NULL DEFAULT 'vault'`,
  `ALTER TABLE vaults ADD COLUMN key_blob text NOT NULL DEFAULT ''`,
  `ALTER TABLE vaults ADD COLUMN key_seal text NOT NULL DEFAULT ''`,
  'ALTER TABLE vaults ADD COLUMN key_uses bigint NOT NULL DEFAULT 0',
]
