import type { EntitySchema, ObjectLiteral } from 'typeorm'
import { select } from './statement.ts'
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
