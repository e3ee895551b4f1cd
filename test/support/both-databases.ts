import { afterAll, beforeAll, describe } from 'vitest'
import { type Overrides, TestAppliance, twoWorkers } from './appliance.ts'
import { hasPostgres, startPostgres, type TestPostgres } from './postgres.ts'

/** Runs the same tests on SQLite and, where it is installed, on PostgreSQL with two workers. */
export function onBothDatabases(
  what: string,
  tests: (start: () => Promise<TestAppliance>) => void,
  settings: Overrides = {},
  onSqlite = () => TestAppliance.own(settings),
): void {
  describe(what, () => tests(onSqlite))
  describe.runIf(hasPostgres)(`${what} in PostgreSQL`, () => {
    let database: TestPostgres
    beforeAll(() => {
      database = startPostgres()
    })
    afterAll(() => database.cleanup())
    tests(() => TestAppliance.own({ ...twoWorkers, ...settings, store: { postgresUrlFile: database.urlFile } }))
  })
}
