import { renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { DataSource } from 'typeorm'
import { migrations } from '../../src/store/migrations.ts'

/** The last migration of release 0.2.0. */
const lastOfRelease = 'SessionCertificates1700000000012'

/** Fills an empty database with the tables of release 0.2.0 and all rows of its SQLite file, which is then renamed. */
export async function loadOnPostgres(sqlite: string, url: string): Promise<void> {
  const target = new DataSource({
    type: 'postgres',
    url,
    migrations: migrations.slice(0, migrations.findIndex(({ name }) => name === lastOfRelease) + 1),
  })
  await target.initialize()
  const source = new Database(sqlite, { readonly: true })
  try {
    await target.runMigrations()
    await copyRows(source, target)
  } finally {
    source.close()
    await target.destroy()
  }
  renameSync(sqlite, `${sqlite}.copied`)
}

type Row = Readonly<Record<string, unknown>>

/** Every table in PostgreSQL has the name and the columns of the one in SQLite. The word index is no table there. */
async function copyRows(source: Database.Database, target: DataSource): Promise<void> {
  const tables: { readonly name: string }[] = await target.query(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
  )
  const numbered = source.prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence').all()
  await target.transaction(async (tx) => {
    // Foreign keys are not checked, since rows refer to each other in any order of tables.
    await tx.query('SET LOCAL session_replication_role = replica')
    for (const { name } of tables)
      for (const row of source.prepare<[], Row>(`SELECT * FROM ${name}`).all()) {
        const columns = Object.keys(row)
        const places = columns.map((_, at) => `$${at + 1}`)
        await tx.query(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places.join(', ')})`, Object.values(row))
      }
    for (const { name, seq } of numbered)
      if (name !== 'migrations') await tx.query(`SELECT setval('${name}_id_seq', $1)`, [seq])
  })
}
