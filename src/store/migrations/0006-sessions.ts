import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Session tokens that are counted, pass phrases whose age and strength is known, and what logins leave behind. */
export class Sessions1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('what was counted would be lost: restore a backup of the database instead')
  }
}

const statements = [
  'ALTER TABLE session_tokens ADD COLUMN uses bigint NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN passphrase_strength bigint',
  'ALTER TABLE users ADD COLUMN passphrase_changed_at bigint NOT NULL DEFAULT 0',
  'UPDATE users SET passphrase_changed_at = created_at',
  'ALTER TABLE users ADD COLUMN failed_logins bigint NOT NULL DEFAULT 0',
  'ALTER TABLE users ADD COLUMN last_failed_login_at bigint',
  `CREATE TABLE login_places (
    user_id bigint NOT NULL REFERENCES users (id),
    network text NOT NULL,
    last_at bigint NOT NULL,
    PRIMARY KEY (user_id, network)
  )`,
]
