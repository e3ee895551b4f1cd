import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Identities, generations and seals of users, application keys, vaults and memberships, and the last record of members
 * who were removed. Rows that are there already bear no seal until `strongroom init` has taken them over.
 */
export class SealedPeople1700000000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('what was edited meanwhile could not be told: restore a backup of the database instead')
  }
}

const sealed = (table: string) => [
  `ALTER TABLE ${table} ADD COLUMN generation bigint NOT NULL DEFAULT 1`,
  `ALTER TABLE ${table} ADD COLUMN seal text NOT NULL DEFAULT ''`,
]

const statements = [
  `ALTER TABLE users ADD COLUMN identity text NOT NULL DEFAULT ''`,
  ...sealed('users'),
  `ALTER TABLE application_keys ADD COLUMN identity text NOT NULL DEFAULT ''`,
  ...sealed('application_keys'),
  `ALTER TABLE vaults ADD COLUMN creator text NOT NULL DEFAULT ''`,
  `ALTER TABLE vaults ADD COLUMN seal text NOT NULL DEFAULT ''`,
  ...sealed('vault_members'),
  ...sealed('removed_members'),
]
