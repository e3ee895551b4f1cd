import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Random identities of keys, under their seals. Keys that are there already have none, and keep the records that name
 * the number of their row.
 */
export class KeyIdentities1700000000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transparent_keys ADD COLUMN identity text')
  }

  async down(): Promise<void> {
    throw new Error(
      'keys could not be used any more without their identities: restore a backup of the database instead',
    )
  }
}
