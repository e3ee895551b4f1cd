import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What has a most, counted at each thing more without a look at every row: each index holds what counts alone. */
export class IndicesOfLimits1700000000042 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['sessions_open_of_service', 'key_versions_in_token'])
      await runner.query(`DROP INDEX IF EXISTS ${name}`)
  }
}

const statements = [
  `CREATE INDEX sessions_open_of_service ON sessions (user_id, expires_at, id)
    WHERE ended_at IS NULL AND credential IS NOT NULL`,
  "CREATE INDEX key_versions_in_token ON key_versions (key_id) WHERE kek = 'token'",
]
