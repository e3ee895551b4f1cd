import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The words that each user keeps for an object: one row, so that two calls at once leave what one of them wrote. */
export class Tags1700000000041 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE object_tags (
      user_id bigint NOT NULL REFERENCES users (id),
      object_id bigint NOT NULL REFERENCES vault_objects (id),
      tags text NOT NULL,
      changed_at bigint NOT NULL,
      PRIMARY KEY (user_id, object_id)
    )`)
    await runner.query('CREATE INDEX object_tags_object ON object_tags (object_id)')
  }

  async down(): Promise<void> {
    throw new Error('the tags of all users would be lost: restore a backup of the database instead')
  }
}
