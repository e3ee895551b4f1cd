import { setImmediate as nextTurn } from 'node:timers/promises'
import { select } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { notOnHold } from '../vaults/membership-records.ts'
import { onlyOnce, type AdmitLongList } from './bounded-list.ts'
import {
  foundColumns,
  readFoundObject,
  withLongFields,
  type FoundObject,
  type ListedObject,
} from './listed-object-records.ts'
import type { Row } from './read-records.ts'

/** A search: whose vaults, for which text (in lower case, taken literally), and the most results. */
interface Search {
  readonly userId: number
  readonly needle: string
  readonly most: number
}

/** Objects whose search text contains one of the needles, in the vaults of a user, in the order of their ids. */
export async function searchObjects(
  reader: Reader,
  { needles, ...search }: Omit<Search, 'needle'> & { readonly needles: readonly string[] },
  admitLongList: AdmitLongList,
): Promise<ListedObject[]> {
  const admitOnce = onlyOnce(admitLongList)
  const found = new Map<number, FoundObject>()
  for (const needle of needles)
    for (const row of await rowsOf(reader, { ...search, needle }, admitOnce)) {
      const object = readFoundObject(row)
      found.set(object.id, object)
    }
  // Not by SQL, which would have to sort all matches before the first can be given.
  const sorted = [...found.values()].toSorted((a, b) => a.id - b.id)
  return withLongFields(reader, sorted.slice(0, search.most), admitOnce)
}

async function rowsOf(reader: Reader, search: Search, admitLongList: AdmitLongList): Promise<readonly Row[]> {
  const { userId, needle, most } = search
  if (reader.connection.options.type === 'postgres')
    return select(reader, byPattern, [userId, `%${needle.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`, most])
  if (await trigramsAreQuick(reader, search)) return select(reader, byTrigrams, [userId, phraseOf(needle), most])
  return readInTurns(reader, search, admitLongList)
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

/** Text that is read in some 15 ms, also where it nearly matches everywhere. */
const bytesInATurn = 4 * 1024 * 1024
/** Ids whose texts have 4 MiB at most, but for objects of earlier releases: each has 16,384 characters of four bytes. */
const idsInATurn = 64
/** Texts that average more than this are long. Ordinary objects have some 100 bytes. */
const longTextBytes = 256
/** Ids whose texts are measured, without being read: few at first, so that a refused search of long texts costs little. */
const idsMeasuredFirst = 2_048
const mostIdsMeasured = 131_072

/** Ids whose texts are read by one statement. */
interface Turn {
  readonly after: number
  readonly last: number
}

/**
 * Reads in several statements, so that other calls get their turn: SQLite blocks the worker's thread while a statement
 * runs.
 */
async function readInTurns(reader: Reader, search: Search, admitLongList: AdmitLongList): Promise<readonly Row[]> {
  const { userId, needle, most } = search
  const [end] = await select<{ readonly id: number | null }>(reader, lastId, [])
  const lastOfAll = end?.id ?? 0
  const found: Row[] = []
  let last = 0
  for (let ids = idsMeasuredFirst; last < lastOfAll; ids = Math.min(2 * ids, mostIdsMeasured)) {
    const some = { after: last, last: Math.min(last + ids, lastOfAll) }
    last = some.last
    for await (const turn of turnsOf(reader, userId, some, admitLongList)) {
      const left = most - found.length
      found.push(...(await select<Row>(reader, byReading, [userId, needle, left, turn.after, turn.last])))
      if (found.length >= most) return found
      await nextTurn()
    }
  }
  return found
}

/**
 * Divides these ids until the texts of each part are read in one turn. Several turns for long texts are counted as a long
 * list before the first: a user can make thousands of long objects in a minute, which take hundreds of milliseconds to
 * search.
 */
async function* turnsOf(
  reader: Reader,
  userId: number,
  turn: Turn,
  admitLongList: AdmitLongList,
): AsyncGenerator<Turn> {
  const { after, last } = turn
  const [texts] = await select<{ readonly bytes: number | null }>(reader, byMeasuring, [userId, after, last])
  const bytes = texts?.bytes ?? 0
  if (bytes > bytesInATurn && last - after > idsInATurn) {
    if (bytes > longTextBytes * (last - after)) admitLongList()
    // Twice as many as would do if all texts were equally long.
    const ids = Math.ceil(((last - after) * bytesInATurn) / (2 * bytes))
    for (let from = after; from < last; from += ids) {
      await nextTurn()
      yield* turnsOf(reader, userId, { after: from, last: Math.min(from + ids, last) }, admitLongList)
    }
  } else if (bytes > 0) yield turn
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
/** The index of search texts answers this without reading them, since the length of a text stands before it. */
const byMeasuring = `SELECT sum(octet_length(t.search_text)) AS bytes
  FROM vault_members m CROSS JOIN vault_objects t ON t.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${mayList} AND t.id > $2 AND t.id <= $3`
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
