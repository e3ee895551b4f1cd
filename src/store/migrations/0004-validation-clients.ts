import type { MigrationInterface, QueryRunner } from 'typeorm'

/** The validator of hardware-token OTPs: its clients, and per device the last OTP that it accepted. */
export class ValidationClients1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const id =
      runner.connection.options.type === 'postgres'
        ? 'bigserial PRIMARY KEY'
        : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL'
    for (const statement of statements(id)) await runner.query(statement)
  }

  async down(): Promise<void> {
    throw new Error('the keys of clients would be lost: restore a backup of the database instead')
  }
}

const statements = (id: string): string[] => [
  `CREATE TABLE validation_clients (
    id ${id},
    name text NOT NULL UNIQUE,
    allow_unsigned bigint NOT NULL,
    kek text NOT NULL,
    blob text NOT NULL,
    seal text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint
  )`,
  `CREATE TABLE validated_otps (
    device_id bigint PRIMARY KEY NOT NULL REFERENCES otp_devices (id),
    counter bigint NOT NULL,
    nonce text NOT NULL
  )`,
]
