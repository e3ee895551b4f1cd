import { randomBytes } from 'node:crypto'
import type { MigrationInterface, QueryRunner } from 'typeorm'

const identityBytes = 16

/** Identities of vaults, which backups of their keys name, and the backups that the operator lets into a vault. */
export class BackupOrigins1700000000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
    const vaults: { readonly id: number | string }[] = await runner.query('SELECT id FROM vaults')
    for (const { id } of vaults)
      await runner.query(
        `UPDATE vaults SET identity = '${randomBytes(identityBytes).toString('hex')}' WHERE id = ${Number(id)}`,
      )
  }

  async down(): Promise<void> {
    throw new Error('backups would not be known for those of their vaults: restore a backup of the database instead')
  }
}

const statements = [
  `ALTER TABLE vaults ADD COLUMN identity text NOT NULL DEFAULT ''`,
  `CREATE TABLE accepted_backups (
    vault_id bigint NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    digest text NOT NULL,
    accepted_at bigint NOT NULL,
    seal text NOT NULL,
    PRIMARY KEY (vault_id, digest)
  )`,
]
