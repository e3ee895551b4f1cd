import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * Vaults that take no unknown members and make no key on first use, and memberships that are narrower than Read, with what
 * was used of them on a day. What is there already is as wide as it was.
 */
export class NarrowerRights1700000000035 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    const [counted]: { readonly narrowed: number | string }[] = await runner.query(
      'SELECT count(grants) AS narrowed FROM vault_members',
    )
    if (Number(counted?.narrowed) > 0)
      throw new Error(
        'narrowed members would have all of Read: end their memberships, or restore a backup of the database',
      )
    await runner.query('DROP TABLE grant_uses')
    await runner.query('ALTER TABLE vault_members DROP COLUMN grants')
    await runner.query('ALTER TABLE vaults DROP COLUMN strict')
  }
}

const statements = [
  'ALTER TABLE vaults ADD COLUMN strict bigint NOT NULL DEFAULT 0',
  'ALTER TABLE vault_members ADD COLUMN grants text',
  `CREATE TABLE grant_uses (
    vault_id bigint NOT NULL,
    user_id bigint NOT NULL,
    entry text NOT NULL,
    day bigint NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (vault_id, user_id, entry),
    FOREIGN KEY (vault_id, user_id) REFERENCES vault_members (vault_id, user_id) ON DELETE CASCADE
  )`,
]
