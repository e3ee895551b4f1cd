import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What lies in vaults: objects, their encrypted fields, and files in sealed chunks. */
export class Objects1700000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const onPostgres = runner.connection.options.type === 'postgres'
    const types = onPostgres
      ? { id: 'bigserial PRIMARY KEY', bytes: 'bytea' }
      : { id: 'integer PRIMARY KEY AUTOINCREMENT NOT NULL', bytes: 'blob' }
    for (const statement of tables(types)) await runner.query(statement)
    if (!onPostgres) for (const statement of searching) await runner.query(statement)
    else if (await offersTrigrams(runner)) for (const statement of postgresTrigrams) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('the objects of the vaults would be lost: restore a backup of the database instead')
  }
}

const tables = ({ id, bytes }: { id: string; bytes: string }): string[] => [
  `CREATE TABLE vault_objects (
    id ${id},
    vault_id bigint NOT NULL REFERENCES vaults (id),
    parent_id bigint NOT NULL,
    template_id bigint NOT NULL,
    name text NOT NULL,
    name_given bigint NOT NULL,
    public_fields text NOT NULL,
    search_text text NOT NULL,
    weak_fields text NOT NULL,
    status bigint NOT NULL,
    file_info text,
    children bigint NOT NULL,
    version bigint NOT NULL,
    created_at bigint NOT NULL,
    created_by bigint NOT NULL,
    changed_at bigint NOT NULL,
    changed_by bigint NOT NULL,
    deleted_at bigint
  )`,
  'CREATE INDEX vault_objects_vault ON vault_objects (vault_id, parent_id)',
  'CREATE INDEX vault_objects_parent ON vault_objects (parent_id)',
  'CREATE INDEX vault_objects_deleted ON vault_objects (deleted_at) WHERE deleted_at IS NOT NULL',
  `CREATE TABLE object_secrets (
    object_id bigint NOT NULL REFERENCES vault_objects (id),
    field text NOT NULL,
    version bigint NOT NULL,
    sealed_text text NOT NULL,
    PRIMARY KEY (object_id, field)
  )`,
  `CREATE TABLE file_uploads (
    id text PRIMARY KEY NOT NULL,
    vault_id bigint NOT NULL,
    object_id bigint,
    touched_at bigint NOT NULL,
    ended_at bigint
  )`,
  'CREATE INDEX file_uploads_object ON file_uploads (object_id)',
  'CREATE INDEX file_uploads_unbound ON file_uploads (touched_at) WHERE object_id IS NULL',
  `CREATE TABLE file_chunks (
    upload_id text NOT NULL REFERENCES file_uploads (id),
    place bigint NOT NULL,
    sealed ${bytes} NOT NULL,
    PRIMARY KEY (upload_id, place)
  )`,
]

/**
 * SQLite reads the search texts of a vault from an index that holds nothing else, and keeps that of all trigrams in
 * step by triggers (FTS5, "External Content Tables").
 */
const searching = [
  'CREATE INDEX vault_objects_texts ON vault_objects (vault_id, id, search_text)',
  `CREATE VIRTUAL TABLE object_trigrams USING fts5
    (search_text, content='vault_objects', content_rowid='id', tokenize='trigram case_sensitive 1')`,
  `CREATE TRIGGER vault_objects_inserted AFTER INSERT ON vault_objects BEGIN
    INSERT INTO object_trigrams (rowid, search_text) VALUES (new.id, new.search_text);
  END`,
  `CREATE TRIGGER vault_objects_removed AFTER DELETE ON vault_objects BEGIN
    INSERT INTO object_trigrams (object_trigrams, rowid, search_text) VALUES ('delete', old.id, old.search_text);
  END`,
  `CREATE TRIGGER vault_objects_changed AFTER UPDATE OF search_text ON vault_objects
    WHEN old.search_text <> new.search_text BEGIN
    INSERT INTO object_trigrams (object_trigrams, rowid, search_text) VALUES ('delete', old.id, old.search_text);
    INSERT INTO object_trigrams (rowid, search_text) VALUES (new.id, new.search_text);
  END`,
]

/** Without the extension a search reads every search text of the caller's vaults: slower, with the same results. */
const postgresTrigrams = [
  'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  'CREATE INDEX vault_objects_trigrams ON vault_objects USING gin (search_text gin_trgm_ops)',
]

/** The extension is part of a full installation, and trusted: who may create in the database may add it. */
async function offersTrigrams(runner: QueryRunner): Promise<boolean> {
  const found: unknown[] = await runner.query(
    `SELECT 1 FROM pg_available_extension_versions
     WHERE name = 'pg_trgm' AND (installed OR (trusted AND has_database_privilege(current_database(), 'CREATE')))`,
  )
  return found.length > 0
}
