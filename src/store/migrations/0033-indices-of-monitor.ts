import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What is near its end, without a look at every row: each index holds those rows alone. */
export class IndicesOfMonitor1700000000033 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement)
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['otp_devices_worn', 'key_versions_used_up']) await runner.query(`DROP INDEX IF EXISTS ${name}`)
  }
}

const statements = [
  // A hardware token can be plugged in 32767 times; its last thousand. The counter's low byte counts what was pressed since.
  "CREATE INDEX otp_devices_worn ON otp_devices (id) WHERE kind = 'hwkey_otp' AND counter >= 8132352",
  // Three quarters of the 2^32 encryptions of NIST SP 800-38D §8.3.
  'CREATE INDEX key_versions_used_up ON key_versions (key_id) WHERE invocations >= 3221225472',
]
