import type { MigrationInterface, QueryRunner } from 'typeorm'

/** One-time links: ciphertexts of which the appliance has no key. */
export class OneTimeLinks1700000000037 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isPostgres = runner.connection.options.type === 'postgres'
    const id = isPostgres ? 'bigserial PRIMARY KEY' : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
    for (const statement of statements(id)) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE one_time_links')
  }
}

const statements = (id: string): string[] => [
  `CREATE TABLE one_time_links (
    id ${id},
    user_id bigint NOT NULL REFERENCES users (id),
    identity text NOT NULL,
    opener text NOT NULL UNIQUE,
    label text NOT NULL,
    ciphertext text,
    digest text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    closed_at bigint,
    generation bigint NOT NULL,
    seal text NOT NULL
  )`,
  'CREATE INDEX one_time_links_user ON one_time_links (user_id)',
  'CREATE INDEX one_time_links_expiry ON one_time_links (expires_at)',
]
