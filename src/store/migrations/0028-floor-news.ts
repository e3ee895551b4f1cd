import type { MigrationInterface, QueryRunner } from 'typeorm'

/** What the keepers of several machines on one database tell each other. */
export class FloorNews1700000000028 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE floor_news (
    machine text NOT NULL,
    number bigint NOT NULL,
    record text NOT NULL,
    seal text NOT NULL,
    PRIMARY KEY (machine, number)
  )`)
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE floor_news')
  }
}
