import { Fault } from '../../fault.ts'
import { sealBytes } from '../pkcs11/seal-versions.ts'
import { madeAt, newKeyMs, nonceBytes, timeOf } from '../provenance.ts'
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

/** A clock that is set back by less than an hour makes no used provenance valid again. */
const keptMs = 3_600_000 + 2 * newKeyMs

export function createUsedProvenance(state: KeeperState, now: () => number): UsedProvenance {
  const noteKey = createNoting(state, 'made_keys')
  const noteHolder = createNoting(state, 'used_provenance')
  // Earlier files have provenances among the holders. Those name no time, and are refused by that.
  state.prepare('DELETE FROM used_provenance WHERE length(seal) = ?').run(nonceBytes + sealBytes)
  // A provenance begins with its time, so that the oldest come first.
  const forget = state.prepare('DELETE FROM made_keys WHERE seal < ?')
  return {
    use(provenance, record) {
      forget.run(timeOf(now() - keptMs))
      if (Math.abs(now() - madeAt(provenance)) > newKeyMs)
        throw new Fault('hsm.rejected', 'This key was made too long ago, or by another clock.')
      // By its nonce, which two objects that one permit made have in common.
      return noteKey(provenance.subarray(0, nonceBytes), record)
    },
    useHolder: noteHolder,
  }
}

/** Notes records by name in a table of the keeper's file: false where the name has another record. */
function createNoting(state: KeeperState, table: 'made_keys' | 'used_provenance') {
  state.exec(`CREATE TABLE IF NOT EXISTS ${table} (seal BLOB PRIMARY KEY, record BLOB NOT NULL) STRICT, WITHOUT ROWID`)
  const keep = state.prepare(`INSERT OR IGNORE INTO ${table} (seal, record) VALUES (?, ?)`)
  const find = state.prepare<[Buffer], { readonly record: Buffer }>(`SELECT record FROM ${table} WHERE seal = ?`)
  return (seal: Buffer, record: Buffer): boolean => {
    const digest = recordDigest(record)
    return keep.run(seal, digest).changes === 1 || find.get(seal)?.record.equals(digest) === true
  }
}
