import { setImmediate as nextTurn } from 'node:timers/promises'
import { change } from '../../store/statement.ts'
import type { Tx } from '../../store/store.ts'
import { searchTextOf } from './content.ts'
import { readObject } from './read-records.ts'
import type { VaultObject } from './records.ts'

/** The new search text of an object. */
export interface NewSearchText extends Pick<VaultObject, 'id' | 'searchText'> {
  /** Bytes that the trigram index adds and removes for it. */
  readonly bytes: number
}

/** The search text of an object in a place where it was not found before. */
export function newSearchText(row: VaultObject): NewSearchText {
  const searchText = searchTextOf(readObject(row))
  return { id: row.id, searchText, bytes: Buffer.byteLength(searchText) }
}

/** SQLite indexes as many in some 100 ms, during which it blocks the thread of the worker. */
const bytesInATurn = 96 * 1024

/**
 * Changes the search texts of many objects by few statements. FTS5 flushes and merges its pending data at the start of
 * each statement, which for short texts takes twenty times as long as the texts themselves.
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
