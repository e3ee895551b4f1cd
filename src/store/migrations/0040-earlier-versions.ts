import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What objects were before they were edited, and how many such versions a vault keeps of each. */
export class EarlierVersions1700000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('what objects were before would be lost: restore a backup of the database instead')
  }
}

const statements = [
  'ALTER TABLE vaults ADD COLUMN history bigint NOT NULL DEFAULT 10',
  `CREATE TABLE earlier_versions (
    object_id bigint NOT NULL REFERENCES vault_objects (id),
    version bigint NOT NULL,
    name text NOT NULL,
    public_fields text NOT NULL,
    replaced_at bigint NOT NULL,
    replaced_by bigint NOT NULL,
    PRIMARY KEY (object_id, version)
  )`,
  `CREATE TABLE earlier_secrets (
    object_id bigint NOT NULL,
    version bigint NOT NULL,
    field text NOT NULL,
    sealed_text text NOT NULL,
    PRIMARY KEY (object_id, version, field),
    FOREIGN KEY (object_id, version) REFERENCES earlier_versions (object_id, version)
  )`,
]
