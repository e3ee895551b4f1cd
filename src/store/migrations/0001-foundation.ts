import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The tables of the first release. Bytes are base64 text, times milliseconds since the epoch (see `../columns.ts`). */
export class Foundation1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const id =
      runner.connection.options.type === 'postgres'
        ? 'bigserial PRIMARY KEY'
        : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
    for (const statement of statements(id)) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('the first migration cannot be undone: delete the database instead')
  }
}

const statements = (id: string): string[] => [...people(id), ...sessions(id), ...vaults(id), ...keys(id), auditHeads]

const people = (id: string): string[] => [
  `CREATE TABLE users (
    id ${id},
    username text NOT NULL,
    fullname text NOT NULL,
    email text NOT NULL,
    capabilities bigint NOT NULL,
    passphrase_salt text NOT NULL,
    passphrase_check text NOT NULL,
    passphrase_cost text NOT NULL,
    key_kek text NOT NULL,
    key_blob text NOT NULL,
    public_key text NOT NULL,
    fingerprint text NOT NULL,
    created_at bigint NOT NULL
  )`,
  'CREATE UNIQUE INDEX users_username ON users (lower(username))',
  `CREATE TABLE application_keys (
    id ${id},
    name text NOT NULL UNIQUE,
    key_check text NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    revoked_at bigint
  )`,
  `CREATE TABLE otp_devices (
    id ${id},
    kind text NOT NULL,
    public_id text UNIQUE,
    user_id bigint REFERENCES users (id),
    key_kind text NOT NULL,
    kek text NOT NULL,
    blob text NOT NULL,
    seal text NOT NULL,
    private_id_check text,
    digits bigint,
    period_seconds bigint,
    counter bigint NOT NULL,
    created_at bigint NOT NULL
  )`,
  'CREATE INDEX otp_devices_user ON otp_devices (user_id)',
  `CREATE TABLE login_attempts (
    subject text PRIMARY KEY NOT NULL,
    failures bigint NOT NULL,
    last_at bigint NOT NULL,
    blocked_until bigint NOT NULL
  )`,
]

const sessions = (id: string): string[] => [
  `CREATE TABLE sessions (
    id ${id},
    user_id bigint NOT NULL REFERENCES users (id),
    application_key_id bigint NOT NULL REFERENCES application_keys (id),
    address text NOT NULL,
    created_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    ended_at bigint
  )`,
  'CREATE INDEX sessions_user ON sessions (user_id)',
  'CREATE INDEX sessions_last_seen ON sessions (last_seen_at)',
  `CREATE TABLE session_tokens (
    hash text PRIMARY KEY NOT NULL,
    session_id bigint NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    issued_at bigint NOT NULL,
    superseded_at bigint
  )`,
  'CREATE INDEX session_tokens_session ON session_tokens (session_id)',
]

const vaults = (id: string): string[] => [
  `CREATE TABLE vaults (
    id ${id},
    name text NOT NULL,
    policy_id bigint NOT NULL,
    description text NOT NULL,
    key_id text NOT NULL UNIQUE,
    created_at bigint NOT NULL
  )`,
  `CREATE TABLE vault_members (
    vault_id bigint NOT NULL REFERENCES vaults (id),
    user_id bigint NOT NULL REFERENCES users (id),
    permission bigint NOT NULL,
    added_at bigint NOT NULL,
    PRIMARY KEY (vault_id, user_id)
  )`,
  'CREATE INDEX vault_members_user ON vault_members (user_id)',
]

const keys = (id: string): string[] => [
  `CREATE TABLE transparent_keys (
    id ${id},
    vault_id bigint NOT NULL REFERENCES vaults (id),
    name text NOT NULL,
    type text NOT NULL,
    info text NOT NULL,
    allow_export bigint NOT NULL,
    allow_backup bigint NOT NULL,
    allow_delete bigint NOT NULL,
    latest_version bigint NOT NULL,
    min_encryption_version bigint NOT NULL,
    min_decryption_version bigint NOT NULL,
    created_at bigint NOT NULL,
    seal text NOT NULL,
    UNIQUE (vault_id, name)
  )`,
  `CREATE TABLE key_versions (
    key_id bigint NOT NULL REFERENCES transparent_keys (id),
    version bigint NOT NULL,
    kek text NOT NULL,
    blob text NOT NULL,
    backup_kek text,
    backup_blob text,
    created_at bigint NOT NULL,
    seal text NOT NULL,
    invocations bigint NOT NULL,
    invocations_seal text NOT NULL,
    PRIMARY KEY (key_id, version)
  )`,
]

const auditHeads = `CREATE TABLE audit_heads (
  chain text PRIMARY KEY NOT NULL,
  seq bigint NOT NULL,
  hash text NOT NULL,
  line text NOT NULL
)`
