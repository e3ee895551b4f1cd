import { numberField } from '../protocol/fields.ts'
import { Fault } from '../../fault.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { composeRecord, identityBytes } from '../record-layouts.ts'
import { type Asker, mayBegin } from './key-rules.ts'
import type { KeeperState } from './keeper-state.ts'
import { refused } from './record-change.ts'
import { opened } from './shown-record.ts'

/** The counts with which versions of keys began, so that no version begins again with a lower one. */
export interface FirstCounts {
  /** The count to begin with: the requested one, or a higher one that was requested before. */
  begin(version: Buffer, count: number): number
}

export function createFirstCounts(state: KeeperState): FirstCounts {
  state.exec(
    'CREATE TABLE IF NOT EXISTS first_counts (version BLOB PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  const keep = state.prepare<[Buffer, number], { readonly count: number }>(
    `INSERT INTO first_counts (version, count) VALUES (?, ?)
     ON CONFLICT (version) DO UPDATE SET count = max(count, excluded.count) RETURNING count`,
  )
  return { begin: (version, count) => keep.get(version, count)?.count ?? count }
}

/** See `Hsm.sealFirstCount`. */
export function sealFirstCount(token: Token, firstCounts: FirstCounts, record: Buffer, asker: Asker): Uint8Array[] {
  const { type, fields } = opened(record)
  // Of an identity of any length the keeper's file would keep all.
  if (type !== 'invocations 2' || fields.invocations < 0 || fields.identity.length !== identityBytes)
    throw new Fault('hsm.rejected', 'This is not a count of a version.')
  if (!mayBegin(asker, fields)) throw refused(type, asker)
  const version = composeRecord(type, { ...fields, invocations: 0 })
  const invocations = firstCounts.begin(version, fields.invocations)
  return [numberField(invocations), seal(token, composeRecord(type, { ...fields, invocations }))]
}
