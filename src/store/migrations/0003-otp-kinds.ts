import type { MigrationInterface, QueryRunner } from 'typeorm'

/** HOTP tokens, remembered drift and time stamps, and seeds that are known again when they come back. */
export class OtpKinds1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('HOTP tokens could not be used any more: restore a backup of the database instead')
  }
}

const statements = [
  'ALTER TABLE otp_devices ADD COLUMN seed_check text',
  'ALTER TABLE otp_devices ADD COLUMN drift_steps bigint NOT NULL DEFAULT 0',
  'ALTER TABLE otp_devices ADD COLUMN ticks bigint',
  'ALTER TABLE otp_devices ADD COLUMN used_at bigint',
  'CREATE UNIQUE INDEX otp_devices_seed ON otp_devices (seed_check)',
]
