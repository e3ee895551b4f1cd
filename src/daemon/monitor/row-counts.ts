import { mostInvocations } from '../../hsm/rotation-due.ts'
import type { RowCounts } from '../../monitor/worker-report.ts'
import { select } from '../../store/statement.ts'
import type { Reader } from '../../store/store.ts'

/** Least time between counts: scrapers ask more often than a database should be asked. */
const freshMs = 15_000
/** Counting stops here: with a million rows it would take as long as a hundred thousand encryptions. */
export const mostSessions = 10_000
const mostRows = 1_000
/** Counter of a hardware token that can be plugged in a thousand times more; its low byte counts the presses. */
export const wornFrom = 8_132_352
/** Encryptions of a key version that are 75 % of what is safe. */
export const usedUpFrom = 3_221_225_472
/** A session that was idle for this long does not count as in use, however long the site lets it live. */
const inUseMs = 3_600_000

/** Counts rows that are close to a limit, at most once per `freshMs`. */
export function createRowCounts(): (reader: Reader) => Promise<RowCounts> {
  let counted: { readonly at: number; readonly counts: Promise<RowCounts> } | undefined

  return (reader) => {
    const now = performance.now()
    if (counted === undefined || now - counted.at >= freshMs) counted = { at: now, counts: countRows(reader) }
    return counted.counts
  }
}

export async function countRows(reader: Reader): Promise<RowCounts> {
  return {
    openSessions: await count(reader, sessions, [Date.now() - inUseMs]),
    wornTokens: await count(reader, wornTokens, []),
    usedUpVersions: await count(reader, usedUpVersions, []),
  }
}

async function count(reader: Reader, statement: string, parameters: readonly unknown[]): Promise<number> {
  const [row] = await select<{ readonly counted: number | string }>(reader, statement, parameters)
  return Number(row?.counted ?? 0)
}

const bounded = (rows: string, most: number): string =>
  `SELECT COUNT(*) AS counted FROM (SELECT 1 FROM ${rows} LIMIT ${most}) AS some_rows`

const sessions = bounded('sessions WHERE ended_at IS NULL AND last_seen_at > $1', mostSessions)

// The conditions must be the same as in the indices of migration 33, which few rows fulfil. The plus sign keeps SQLite
// from using the index by user, which has all devices (sqlite.org/optoverview, unary plus).
const wornTokens = bounded(
  `otp_devices WHERE kind = 'hwkey_otp' AND counter >= ${wornFrom} AND +user_id IS NOT NULL`,
  mostRows,
)

const usedUpVersions = bounded(
  `key_versions v JOIN transparent_keys k ON k.id = v.key_id AND k.latest_version = v.version
    WHERE v.invocations >= ${usedUpFrom} AND v.invocations < ${mostInvocations} AND k.deleted_at IS NULL`,
  mostRows,
)
