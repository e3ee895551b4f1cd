import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What will become of keys that come in from outside. */
export class ImportJobs1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('imports under way could not be finished: restore a backup of the database instead')
  }
}

const statements = [
  `CREATE TABLE import_jobs (
    id text PRIMARY KEY NOT NULL,
    vault_id bigint NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL,
    info text NOT NULL,
    allow_export bigint NOT NULL,
    allow_plaintext_export bigint NOT NULL,
    allow_backup bigint NOT NULL,
    allow_delete bigint NOT NULL,
    auto_rotate_period_ms bigint NOT NULL,
    kek text NOT NULL,
    blob text NOT NULL,
    public_key text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    seal text NOT NULL
  )`,
  'CREATE INDEX import_jobs_expiry ON import_jobs (expires_at)',
  'CREATE INDEX import_jobs_vault ON import_jobs (vault_id)',
]
