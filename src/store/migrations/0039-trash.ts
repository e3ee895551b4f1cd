import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Which deletion took an object, so that what was deleted together is taken back together; and favourites of users. */
export class Trash1700000000039 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE vault_objects ADD COLUMN trashed_with bigint')
    // Until now each was deleted by a call of its own.
    await runner.query('UPDATE vault_objects SET trashed_with = id WHERE deleted_at IS NOT NULL')
    await runner.query(
      'CREATE INDEX vault_objects_trashed_with ON vault_objects (trashed_with) WHERE trashed_with IS NOT NULL',
    )
    await runner.query(
      'CREATE INDEX vault_objects_trash ON vault_objects (vault_id, deleted_at) WHERE deleted_at IS NOT NULL',
    )
    await runner.query(`CREATE TABLE object_favourites (
      user_id bigint NOT NULL REFERENCES users (id),
      object_id bigint NOT NULL REFERENCES vault_objects (id),
      added_at bigint NOT NULL,
      PRIMARY KEY (user_id, object_id)
    )`)
    await runner.query('CREATE INDEX object_favourites_object ON object_favourites (object_id)')
  }

  async down(): Promise<void> {
    throw new Error(
      'what was deleted together would be taken back one by one: restore a backup of the database instead',
    )
  }
}
