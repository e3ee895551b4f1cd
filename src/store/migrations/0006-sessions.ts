import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Session tokens that are counted. */
export class Sessions1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('what was counted would be lost: restore a backup of the database instead')
  }
}

const statements = ['ALTER TABLE session_tokens ADD COLUMN uses bigint NOT NULL DEFAULT 0']
