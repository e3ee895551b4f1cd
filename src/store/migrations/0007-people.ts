import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Users can be searched for. Lower case by SQL is of ASCII alone; a row gets the full form when it next changes. */
export class People1700000000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN search_text')
  }
}

const statements = [
  `ALTER TABLE users ADD COLUMN search_text text NOT NULL DEFAULT ''`,
  `UPDATE users SET search_text = lower(username || '
' || fullname || '
' || email)`,
]
