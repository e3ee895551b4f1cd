import type { EntitySchema, ObjectLiteral } from 'typeorm'
import { change, select } from './statement.ts'
import type { Tx } from './store.ts'

/**
 * Makes a copied database continue the row numbers of the original, including those of deleted rows, which must not be
 * used again (AUTOINCREMENT in SQLite, sequences in PostgreSQL).
 */
export async function copyRowNumbers(from: Tx, to: Tx, tables: readonly EntitySchema<ObjectLiteral>[]): Promise<void> {
  for (const { options } of tables) {
    if (!Object.values(options.columns).some((column) => column?.generated !== undefined)) continue
    const name = options.tableName ?? options.name
    const last = await lastNumber(from, name)
    if (last > 0) await setLastNumber(to, name, last)
  }
}

/** The number of a row that is inserted in this transaction, or of none. */
export async function reserveRowNumber(tx: Tx, table: EntitySchema<ObjectLiteral>): Promise<number> {
  const name = table.options.tableName ?? table.options.name
  const reserve = async (): Promise<Last | undefined> =>
    tx.connection.options.type === 'postgres'
      ? (await select<Last>(tx, `SELECT nextval('${name}_id_seq') AS last`, []))[0]
      : (
          await select<Last>(tx, 'UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = $1 RETURNING seq AS last', [
            name,
          ])
        )[0]
  // SQLite counts a table from its first row on.
  const beginCounting = `INSERT INTO sqlite_sequence (name, seq) SELECT $1, 0
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)`
  const reserved = (await reserve()) ?? (await change(tx, beginCounting, [name]).then(reserve))
  if (reserved === undefined) throw new TypeError(`${name} does not number its rows`)
  return Number(reserved.last)
}

async function lastNumber(from: Tx, table: string): Promise<number> {
  // A sequence that was never used is at its first number.
  const [found] =
    from.connection.options.type === 'postgres'
      ? await select<Last>(
          from,
          `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${table}_id_seq`,
          [],
        )
      : await select<Last>(from, 'SELECT seq AS last FROM sqlite_sequence WHERE name = $1', [table])
  return Number(found?.last ?? 0)
}

interface Last {
  readonly last: number | string
}

async function setLastNumber(to: Tx, table: string, last: number): Promise<void> {
  if (to.connection.options.type === 'postgres') {
    await select(to, `SELECT setval('${table}_id_seq', $1)`, [last])
    return
  }
  await to.query('DELETE FROM sqlite_sequence WHERE name = ?', [table])
  await to.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', [table, last])
}
