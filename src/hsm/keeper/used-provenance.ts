import { recordDigest } from '../sealed-record.ts'
import type { KeeperState } from './keeper-state.ts'

/** The keys that are in a sealed record, so that none gets into a second one. */
export interface UsedProvenance {
  /** False where the key is in another record already. The same record again is a repeated request. */
  use(provenance: Buffer, record: Buffer): boolean
}

export function createUsedProvenance(state: KeeperState): UsedProvenance {
  state.exec(
    'CREATE TABLE IF NOT EXISTS used_provenance (seal BLOB PRIMARY KEY, record BLOB NOT NULL) STRICT, WITHOUT ROWID',
  )
  const keep = state.prepare('INSERT OR IGNORE INTO used_provenance (seal, record) VALUES (?, ?)')
  const find = state.prepare<[Buffer], { readonly record: Buffer }>('SELECT record FROM used_provenance WHERE seal = ?')
  return {
    use(provenance, record) {
      const digest = recordDigest(record)
      return keep.run(provenance, digest).changes === 1 || find.get(provenance)?.record.equals(digest) === true
    },
  }
}
