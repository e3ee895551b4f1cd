import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Templates that the site made. */
export class Templates1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(templates)
  }

  async down(): Promise<void> {
    throw new Error('objects could not be read without their templates: restore a backup of the database instead')
  }
}

const templates = `CREATE TABLE templates (
  id bigint PRIMARY KEY NOT NULL,
  document text NOT NULL,
  seal text NOT NULL,
  created_at bigint NOT NULL,
  removed_at bigint
)`
