import { Fault } from '../../fault.ts'
import { madeAt, newKeyMs, nonceBytes } from '../provenance.ts'
import { recordDigest } from '../sealed-record.ts'
import type { KeeperState } from './keeper-state.ts'

/** The keys that are in a sealed record, so that none gets into a second one. */
export interface UsedProvenance {
  /**
   * False where the key is in another record already. The same record again is a repeated request.
   * @throws Fault `hsm.rejected` for a key that was made too long ago
   */
  use(provenance: Buffer, record: Buffer): boolean
  /** The same for a holder that has one key ever, such as a vault. */
  useHolder(holder: Buffer, record: Buffer): boolean
}

/** A clock that is set back by less than this makes no used provenance valid again. */
const keptMs = 3_600_000 + 2 * newKeyMs

export function createUsedProvenance(state: KeeperState, now: () => number): UsedProvenance {
  state.exec(
    'CREATE TABLE IF NOT EXISTS used_provenance (seal BLOB PRIMARY KEY, record BLOB NOT NULL) STRICT, WITHOUT ROWID',
  )
  addTime(state)
  const keep = state.prepare('INSERT OR IGNORE INTO used_provenance (seal, record, used_at) VALUES (?, ?, ?)')
  const find = state.prepare<[Buffer], { readonly record: Buffer }>('SELECT record FROM used_provenance WHERE seal = ?')
  const forget = state.prepare('DELETE FROM used_provenance WHERE used_at > 0 AND used_at < ?')
  const note = (seal: Buffer, record: Buffer, usedAt: number): boolean => {
    const digest = recordDigest(record)
    return keep.run(seal, digest, usedAt).changes === 1 || find.get(seal)?.record.equals(digest) === true
  }
  return {
    use(provenance, record) {
      forget.run(now() - keptMs)
      if (Math.abs(now() - madeAt(provenance)) > newKeyMs)
        throw new Fault('hsm.rejected', 'This key was made too long ago, or by another clock.')
      return note(provenance, record, now())
    },
    useHolder: (holder, record) => note(holder, record, forEver),
  }
}

/** In place of the time of a row that is not forgotten. */
const forEver = 0

/** Earlier files have no times. Their provenances name none either, and are refused by that; holders are kept. */
function addTime(state: KeeperState): void {
  const columns = state.prepare<[], string>("SELECT name FROM pragma_table_info('used_provenance')").pluck().all()
  if (!columns.includes('used_at'))
    state.transaction(() => {
      state.exec(`ALTER TABLE used_provenance ADD COLUMN used_at INTEGER NOT NULL DEFAULT ${forEver}`)
      state.prepare('DELETE FROM used_provenance WHERE length(seal) = ?').run(nonceBytes + sealBytes)
    })()
  state.exec('CREATE INDEX IF NOT EXISTS used_provenance_by_time ON used_provenance (used_at) WHERE used_at > 0')
}

const sealBytes = 32
