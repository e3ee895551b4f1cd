import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The second factors that the seal of a user names. `strongroom init` fills them in where it seals the row. */
export class FactorsOfUsers1700000000027 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD COLUMN factors text NOT NULL DEFAULT ''`)
  }

  async down(): Promise<void> {
    throw new Error('a factor that was revoked would be good again: restore a backup of the database instead')
  }
}
