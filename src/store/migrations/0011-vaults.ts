import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The data keys of deleted vaults until the token has destroyed them, and the shapes of answers that an application
 * reads.
 */
export class Vaults1700000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('keys that still wait to be destroyed would be forgotten: restore a backup of the database instead')
  }
}

const statements = [
  'CREATE TABLE doomed_vault_keys (key_id text PRIMARY KEY NOT NULL, doomed_at bigint NOT NULL)',
  `ALTER TABLE application_keys ADD COLUMN shapes text NOT NULL DEFAULT '2.1.0'`,
]
