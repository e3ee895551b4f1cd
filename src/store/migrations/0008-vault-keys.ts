import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The data key of a vault, sealed to its vault, so that its objects can be encrypted with it. */
export class VaultKeys1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error(
      'what the keys of vaults encrypt could not be read any more: restore a backup of the database instead',
    )
  }
}

const statements = [
  `ALTER TABLE vaults ADD COLUMN key_kek text NOT NULL DEFAULT 'vault'`,
  `ALTER TABLE vaults ADD COLUMN key_blob text NOT NULL DEFAULT ''`,
  `ALTER TABLE vaults ADD COLUMN key_seal text NOT NULL DEFAULT ''`,
  'ALTER TABLE vaults ADD COLUMN key_uses bigint NOT NULL DEFAULT 0',
]
