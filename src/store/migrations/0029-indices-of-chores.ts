import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What housekeeping looks for by itself, and the texts of users for searches, without a look at every row. */
export class IndicesOfChores1700000000029 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
    // PostgreSQL takes no entry of an index beyond 2.7 KiB, and reads rows without what lies outside of them (TOAST).
    if (runner.connection.options.type !== 'postgres')
      await runner.query('CREATE INDEX users_texts ON users (id, search_text)')
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = ['transparent_keys_deleted', 'sessions_open_created', 'sessions_open_seen', 'login_attempts_last']
    for (const name of [...names, 'users_texts']) await runner.query(`DROP INDEX IF EXISTS ${name}`)
  }
}

const statements = [
  'CREATE INDEX transparent_keys_deleted ON transparent_keys (deleted_at) WHERE deleted_at IS NOT NULL',
  'CREATE INDEX sessions_open_created ON sessions (created_at) WHERE ended_at IS NULL',
  'CREATE INDEX sessions_open_seen ON sessions (last_seen_at) WHERE ended_at IS NULL',
  'CREATE INDEX login_attempts_last ON login_attempts (last_at)',
]
