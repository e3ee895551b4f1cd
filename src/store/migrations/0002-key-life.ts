import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Keys of all types, with a life: rotation by age, disabled and trimmed versions, deletion with a way back. */
export class KeyLife1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('keys of new types could not be used any more: restore a backup of the database instead')
  }
}

const statements = [
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
