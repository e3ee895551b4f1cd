import type { MigrationInterface, QueryRunner } from 'typeorm'

/**
 * The columns that the seals of sessions and their tokens cover. Sessions of earlier releases have no seal and end:
 * their users log in again.
 */
export class SealedSessions1700000000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('sessions would be good without a seal: restore a backup of the database instead')
  }
}

const statements = [
  `ALTER TABLE sessions ADD COLUMN identity text NOT NULL DEFAULT ''`,
  'ALTER TABLE sessions ADD COLUMN recoveries bigint NOT NULL DEFAULT 0',
  'ALTER TABLE sessions ADD COLUMN expires_at bigint NOT NULL DEFAULT 0',
  `ALTER TABLE session_tokens ADD COLUMN seal text NOT NULL DEFAULT ''`,
  'UPDATE sessions SET ended_at = last_seen_at WHERE ended_at IS NULL',
]
