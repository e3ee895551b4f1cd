import { setImmediate as nextTurn } from 'node:timers/promises'
import { select } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'
import { awake } from '../vaults/membership-records.ts'
import type { AdmitLongList } from './bounded-list.ts'
import { foundColumns, readFoundObject, withLongFields, type ListedObject } from './listed-object-records.ts'
import type { Row } from './read-records.ts'

/** Whose objects are searched, for what (lower case: text and nothing else), and how many are wanted. */
interface Search {
  readonly userId: number
  readonly needle: string
  readonly most: number
}

/** Objects whose search text holds the needle, in the vaults that a user is a member of. */
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

/** How many objects are read as fast as the trigrams of those of others are passed over. */
const soonRead = 10_000
/** A trigram of fewer objects makes a phrase quick, whatever else is in it: FTS5 looks for its other parts in these alone. */
const rare = 20_000
/** A look at one costs 0.6 ms at most. */
const trigramsLookedAt = 8

/**
 * FTS5 passes over every object that holds all trigrams of a phrase, whoever it belongs to, in one step that nothing
 * interrupts: 300 ms of the worker where each of ten trigrams is in each of a million objects.
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

/** As many as 10 ms read. */
const readInATurn = 100_000

/** Other calls have their turn in between: SQLite has the thread of the worker until it answers. */
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

/** For FTS5. */
const phraseOf = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** The membership does not rest, and what narrows it lets the member list: that word is the first, and no pattern has quotes. */
export const mayList = `${awake('m')} AND (m.grants IS NULL OR m.grants LIKE '%"objects":["list"%')`
const lastId = 'SELECT max(id) AS id FROM vault_objects'
const hasMore = `SELECT 1 FROM vault_members m CROSS JOIN vault_objects o ON o.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${mayList} LIMIT 1 OFFSET $2`
const isCommon = 'SELECT 1 FROM object_trigrams WHERE object_trigrams MATCH $1 LIMIT 1 OFFSET $2'
/** A deleted object has no search text: so the index of these alone has the answer. */
const byReading = `SELECT ${foundColumns} FROM vault_objects o WHERE o.id IN (
  SELECT t.id FROM vault_members m CROSS JOIN vault_objects t ON t.vault_id = m.vault_id
  WHERE m.user_id = $1 AND ${mayList} AND t.id > $4 AND t.id <= $5 AND instr(t.search_text, $2) > 0 LIMIT $3)`
const byTrigrams = `SELECT ${foundColumns} FROM object_trigrams t CROSS JOIN vault_objects o ON o.id = t.rowid
  CROSS JOIN vault_members m ON m.vault_id = o.vault_id
  WHERE object_trigrams MATCH $2 AND o.deleted_at IS NULL AND m.user_id = $1 AND ${mayList} LIMIT $3`
const byPattern = `SELECT ${foundColumns} FROM vault_objects o
  WHERE o.vault_id = ANY (ARRAY(SELECT m.vault_id FROM vault_members m WHERE m.user_id = $1 AND ${mayList}))
    AND o.search_text LIKE $2 AND o.deleted_at IS NULL LIMIT $3`
