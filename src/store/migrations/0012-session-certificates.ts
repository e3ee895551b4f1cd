import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The smartcard that a session was opened with, because the session is good no longer than the card. */
export class SessionCertificates1700000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN certificate text')
  }

  async down(): Promise<void> {
    throw new Error('sessions would outlive their cards: restore a backup of the database instead')
  }
}
