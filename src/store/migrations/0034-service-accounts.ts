import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Service accounts: what their rows hold beside those of users, sessions without an application key, and when each of
 * their credentials was used last.
 */
export class ServiceAccounts1700000000034 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { type } = runner.connection.options
    for (const statement of [...statements, ...(type === 'postgres' ? nullableInPostgres : nullableInSqlite)])
      await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('service accounts would be users: restore a backup of the database instead')
  }
}

const statements = [
  'ALTER TABLE users ADD COLUMN service text',
  'ALTER TABLE sessions ADD COLUMN credential text',
  'CREATE INDEX sessions_open_service ON sessions (expires_at) WHERE ended_at IS NULL AND credential IS NOT NULL',
  'CREATE INDEX users_service ON users (id) WHERE service IS NOT NULL',
  'CREATE INDEX users_identity ON users (identity)',
  `CREATE TABLE service_uses (
    user_id bigint NOT NULL REFERENCES users (id),
    credential text NOT NULL,
    used_at bigint NOT NULL,
    address text NOT NULL,
    PRIMARY KEY (user_id, credential)
  )`,
]

const nullableInPostgres = ['ALTER TABLE sessions ALTER COLUMN application_key_id DROP NOT NULL']

/** SQLite changes no column: it gets another one in its place. */
const nullableInSqlite = [
  'ALTER TABLE sessions ADD COLUMN nullable_key_id bigint REFERENCES application_keys (id)',
  'UPDATE sessions SET nullable_key_id = application_key_id',
  'ALTER TABLE sessions DROP COLUMN application_key_id',
  'ALTER TABLE sessions RENAME COLUMN nullable_key_id TO application_key_id',
]
