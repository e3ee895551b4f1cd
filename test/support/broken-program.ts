import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Inserts a line before all others of an entry file, after its "#!": the end of the file is reached only when the
 * program serves.
 */
export function breakEntry(dist: string, file: string, line: string): void {
  const path = join(dist, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace('\n', `\n${line}\n`))
}

/** Adds a migration, so that earlier programs refuse to open the database. */
export function addMigration(dist: string): void {
  const modules = readdirSync(join(dist, 'modules')).map((name) => join(dist, 'modules', name))
  const listing = modules.find(
    (path) => path.endsWith('.js') && /^const migrations = \[$/m.test(readFileSync(path, 'utf8')),
  )
  if (listing === undefined) throw new Error('The build lists the migrations in another way than before.')
  const migration = `migrations.push(class OfTheNewRelease1799999999999 {
    name = 'OfTheNewRelease1799999999999'
    async up(runner) { await runner.query('CREATE TABLE of_the_new_release (id INTEGER)') }
    async down() {}
  })`
  appendFileSync(listing, `\n${migration}\n`)
}
