import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Who gave users what they log in with, and the memberships that rest because of it. What is there already rests
 * nowhere, and nobody is a new user.
 */
export class Recoveries1700000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('memberships that rest would not rest any more: restore a backup of the database instead')
  }
}

const statements = [
  'ALTER TABLE users ADD COLUMN recoveries bigint NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN made_by bigint',
  'ALTER TABLE users ADD COLUMN passphrase_by bigint',
  'ALTER TABLE vault_members ADD COLUMN recoveries bigint NOT NULL DEFAULT 0',
  'ALTER TABLE vault_members ADD COLUMN granted_by bigint',
  'ALTER TABLE vault_members ADD COLUMN granted_at bigint',
  `CREATE TABLE user_recoveries (
    user_id bigint NOT NULL REFERENCES users (id),
    number bigint NOT NULL,
    recovered_by bigint NOT NULL,
    recovered_at bigint NOT NULL,
    PRIMARY KEY (user_id, number)
  )`,
  `CREATE TABLE removed_members (
    vault_id bigint NOT NULL REFERENCES vaults (id),
    user_id bigint NOT NULL REFERENCES users (id),
    recoveries bigint NOT NULL,
    PRIMARY KEY (vault_id, user_id)
  )`,
]
