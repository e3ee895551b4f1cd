import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Templates that the site made. */
export class Templates1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(templatesTable)
  }

  async down(): Promise<void> {
    throw new Error('objects could not be read without their templates: restore a backup of the database instead')
  }
}

const templatesTable = `CREATE TABLE templates (
  id bigint PRIMARY KEY NOT NULL,
  document text NOT NULL,
  seal text NOT NULL,
  created_at bigint NOT NULL,
  removed_at bigint
)`

/**
 * The data keys of deleted vaults until the token has destroyed them, and the shapes of answers that an application
 * reads.
 */
export class Vaults1700000000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of vaultsStatements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('keys that still wait to be destroyed would be forgotten: restore a backup of the database instead')
  }
}

const vaultsStatements = [
  'CREATE TABLE doomed_vault_keys (key_id text PRIMARY KEY NOT NULL, doomed_at bigint NOT NULL)',
  `ALTER TABLE application_keys ADD COLUMN shapes text NOT NULL DEFAULT '2.1.0'`,
]

/** The smartcard that a session was opened with, because the session is good no longer than the card. */
export class SessionCertificates1700000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN certificate text')
  }

  async down(): Promise<void> {
    throw new Error('sessions would outlive their cards: restore a backup of the database instead')
  }
}
