import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Tombstones of vaults and keys, and the objects of the token that wait to be destroyed with what says that they may be.
 * Data keys that wait already have no such mark until `strongroom init` destroys them.
 */
export class Destructions1700000000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const id =
      runner.connection.options.type === 'postgres'
        ? 'bigserial PRIMARY KEY'
        : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
    for (const statement of statements(id)) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('what was destroyed could be used again: restore a backup of the database instead')
  }
}

const statements = (id: string): readonly string[] => [
  `CREATE TABLE tombstones (id ${id}, record text NOT NULL, seal text NOT NULL)`,
  `CREATE TABLE pending_destructions (
    object_id text PRIMARY KEY NOT NULL,
    key_record text NOT NULL DEFAULT '',
    key_seal text NOT NULL DEFAULT '',
    mark_record text NOT NULL DEFAULT '',
    mark_seal text NOT NULL DEFAULT '',
    pending_since bigint NOT NULL
  )`,
  'INSERT INTO pending_destructions (object_id, pending_since) SELECT key_id, doomed_at FROM doomed_vault_keys',
  'DROP TABLE doomed_vault_keys',
]
