import { setImmediate as nextTurn } from 'node:timers/promises'
import { change } from '../../store/statement.ts'
import type { Tx } from '../../store/store.ts'
import { searchTextOf } from './content.ts'
import { readObject } from './read-records.ts'
import type { VaultObject } from './records.ts'

/** What a search is to look through of an object from now on. */
export interface NewSearchText extends Pick<VaultObject, 'id' | 'searchText'> {
  /** Of what the index of trigrams takes in or gives up for it. */
  readonly bytes: number
}

/** Of an object that comes to a place where it was not found before. */
export function newSearchText(row: VaultObject): NewSearchText {
  const searchText = searchTextOf(readObject(row))
  return { id: row.id, searchText, bytes: Buffer.byteLength(searchText) }
}

/** As many as SQLite indexes in some 100 ms, in which nobody else has the thread of the worker. */
const bytesInATurn = 96 * 1024

/**
 * Changes the search texts of many objects by few statements: FTS5 writes what it has gathered whenever a statement begins,
 * and merges that, which for short texts costs twenty times as much as the texts themselves.
 */
export async function putSearchTexts(tx: Tx, texts: readonly NewSearchText[]): Promise<void> {
  const statement = tx.connection.options.type === 'postgres' ? putInPostgres : putInSqlite
  let some: Record<string, string> = {}
  let bytes = 0
  const put = async (): Promise<void> => {
    if (Object.keys(some).length > 0) await change(tx, statement, [JSON.stringify(some)])
    some = {}
    bytes = 0
  }
  for (const text of texts) {
    if (bytes > 0 && bytes + text.bytes > bytesInATurn) {
      await put()
      await nextTurn()
    }
    some[text.id] = text.searchText
    bytes += text.bytes
  }
  await put()
}

const putInSqlite = `UPDATE vault_objects SET search_text = t.value FROM json_each($1) t
  WHERE vault_objects.id = CAST(t.key AS integer)`
const putInPostgres = `UPDATE vault_objects SET search_text = t.value FROM json_each_text($1::json) t
  WHERE vault_objects.id = t.key::bigint`
