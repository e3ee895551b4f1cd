import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Assertions of service accounts that began a session; each is good once, at whatever machine. */
export class UsedAssertions1700000000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE used_assertions (assertion text PRIMARY KEY NOT NULL, good_until bigint NOT NULL)')
    await runner.query('CREATE INDEX used_assertions_good_until ON used_assertions (good_until)')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE used_assertions')
  }
}
