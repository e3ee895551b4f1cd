import type { MigrationInterface, QueryRunner } from 'typeorm'

/** Whether any user has logged in from a network lately, without a look at every row. */
export class LoginNetworks1700000000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX login_places_network ON login_places (network, last_at)')
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX login_places_network')
  }
}
