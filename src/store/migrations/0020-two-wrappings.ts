import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Keys below the key of their vault: records that name the vault's identity, and the generation of policies and versions.
 * Those that are there already keep the records of the release before.
 */
export class TwoWrappings1700000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('keys could not be used any more: restore a backup of the database instead')
  }
}

const statements = [
  'ALTER TABLE vaults ADD COLUMN key_layout integer NOT NULL DEFAULT 1',
  'ALTER TABLE transparent_keys ADD COLUMN generation bigint NOT NULL DEFAULT 0',
  'ALTER TABLE key_versions ADD COLUMN generation bigint NOT NULL DEFAULT 0',
]
