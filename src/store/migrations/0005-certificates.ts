import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Smartcards: one certificate per user at most, one user per certificate. */
export class Certificates1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE user_certificates (
      user_id bigint PRIMARY KEY NOT NULL REFERENCES users (id),
      fingerprint text NOT NULL UNIQUE,
      der text NOT NULL,
      seal text NOT NULL,
      created_at bigint NOT NULL
    )`)
  }

  async down(): Promise<void> {
    throw new Error('no smartcard could log in any more: restore a backup of the database instead')
  }
}
