import { rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { openPrivate } from '../server/private-file.ts'
import type { KeeperState } from './keeper-state.ts'

/** Without another place: a confined keeper can write only beside its file. */
function besideOf(path: string): string {
  const copy = `${path}.copy`
  for (const suffix of ['', '-journal']) rmSync(`${copy}${suffix}`, { force: true })
  return copy
}

/**
 * Copies the whole content of the keeper's file at one moment. Row by row, because requests may run within a
 * transaction, where SQLite copies no file. 100,000 rows take some 2 s, during which the keeper answers nothing else.
 */
export function copyState(state: KeeperState, to: string | undefined): void {
  const path = to ?? besideOf(state.name)
  const copy = openPrivate(path, 'PRAGMA locking_mode = EXCLUSIVE')
  try {
    copy.transaction(() => copyTables(state, copy))()
  } finally {
    copy.close()
  }
}

function copyTables(state: KeeperState, copy: Database.Database): void {
  const schema = state
    .prepare<[], { readonly type: string; readonly name: string; readonly sql: string }>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type = 'table' DESC",
    )
    .all()
  for (const { type, name, sql } of schema) {
    // One statement at a time: root's command reads what another user wrote, and exec() would run a definition with
    // further statements appended.
    copy.prepare(sql).run()
    if (type !== 'table') continue
    const columns = state.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(name)
    const keep = copy.prepare(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of state
      .prepare(`SELECT ${columns.join(', ')} FROM ${name}`)
      .raw()
      .iterate())
      keep.run(row)
  }
}
