import { setImmediate as nextTurn } from 'node:timers/promises'
import { select } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { notOnHold } from '../vaults/membership-records.ts'
import type { AdmitLongList } from './bounded-list.ts'
import { foundColumns, readFoundObject, withLongFields, type ListedObject } from './listed-object-records.ts'
import type { Row } from './read-records.ts'

/** A search: whose vaults, for which text (in lower case, taken literally), and the most results. */
interface Search {
  readonly userId: number
  readonly needle: string
  readonly most: number
}

/** Objects whose search text contains the needle, in the vaults of a user. */
export async function searchObjects(
  reader: Reader,
  search: Search,
  admitLongList: AdmitLongList,
): Promise<ListedObject[]> {
  return withLongFields(reader, (await rowsOf(reader, search)).map(readFoundObject), admitLongList)
}

async function rowsOf(reader: Reader, search: Search): Promise<readonly Row[]> {
  const { userId, needle, most } = search
  if (reader.connection.options.type === 'postgres')
    return select(reader, byPattern, [userId, `%${needle.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`, most])
  if (await trigramsAreQuick(reader, search)) return select(reader, byTrigrams, [userId, phraseOf(needle), most])
  return readInTurns(reader, search)
}

/** Reading this many objects takes as long as skipping the trigram matches of other users' objects. */
const soonRead = 10_000
/**
 * Where one trigram of the phrase occurs in fewer objects than this, FTS5 is fast: it checks the other trigrams in
 * these objects only.
 */
const rare = 20_000
/** Trigrams checked; each check takes 0.6 ms at most. */
const trigramsLookedAt = 8

/**
 * Whether FTS5 would be fast. It visits every object that contains all trigrams of a phrase, of all users, in one step
 * that nothing interrupts: 300 ms of the worker where each of ten trigrams is in each of a million objects.
 */
async function trigramsAreQuick(reader: Reader, { userId, needle }: Search): Promise<boolean> {
  const characters = Array.from(needle)
  if (characters.length < 3 || (await select(reader, hasMore, [userId, soonRead])).length === 0) return false
  const step = Math.max(1, Math.ceil((characters.length - 2) / trigramsLookedAt))
  for (let at = 0; at <= characters.length - 3; at += step) {
    const trigram = phraseOf(characters.slice(at, at + 3).join(''))
    if ((await select(reader, isCommon, [trigram, rare])).length === 0) return true
  }
  return false
}

/** Objects read in 10 ms. */
const readInATurn = 100_000

/**
 * Reads in several statements, so that other calls get their turn: SQLite blocks the worker's thread while a statement
 * runs.
 */
async function readInTurns(reader: Reader, { userId, needle, most }: Search): Promise<readonly Row[]> {
  const [last] = await select<{ readonly id: number | null }>(reader, lastId, [])
  const found: Row[] = []
  for (let after = 0; after < (last?.id ?? 0) && found.length < most; after += readInATurn) {
    if (after > 0) await nextTurn()
    const left = most - found.length
    found.push(...(await select<Row>(reader, byReading, [userId, needle, left, after, after + readInATurn])))
  }
  return found
}

/** Quotes a text as a phrase of FTS5. */
const phraseOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

/**
 * SQL condition: the membership is not on hold, and its grants, if any, allow the member to list objects. LIKE
 * suffices: `list` always stands first in the text, and patterns contain no quotes.
 */
export const mayList = `${notOnHold('m')} AND (m.grants IS NULL OR m.grants LIKE '%"objects":["list"%')`
const lastId = 'SELECT max(id) AS id FROM vault_objects'
const hasMore = `SELECT 1 FROM vault_members m CROSS JOIN vault_objects o ON o.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${mayList} LIMIT 1 OFFSET $2`
const isCommon = 'SELECT 1 FROM object_trigrams WHERE object_trigrams MATCH $1 LIMIT 1 OFFSET $2'
/** Deleted objects have no search text, so the index of search texts answers this alone. */
const byReading = `SELECT ${foundColumns} FROM vault_objects o WHERE o.id IN (
  SELECT t.id FROM vault_members m CROSS JOIN vault_objects t ON t.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${mayList} AND t.id > $4 AND t.id <= $5 AND instr(t.search_text, $2) > 0 LIMIT $3)`
const byTrigrams = `SELECT ${foundColumns} FROM object_trigrams t CROSS JOIN vault_objects o ON o.id = t.rowid
  CROSS JOIN vault_members m ON m.vault_id = o.vault_id
  WHERE object_trigrams MATCH $2 AND o.deleted_at IS NULL AND m.user_id = $1 AND ${mayList} LIMIT $3`
const byPattern = `SELECT ${foundColumns} FROM vault_objects o
  WHERE o.vault_id = ANY (ARRAY(SELECT m.vault_id FROM vault_members m WHERE m.user_id = $1 AND ${mayList}))
    AND o.search_text LIKE $2 AND o.deleted_at IS NULL LIMIT $3`
