import { numberField } from '../protocol/fields.ts'
import { Fault } from '../../fault.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { generationOf, keySubject } from '../record-generation.ts'
import { composeRecord, identityBytes } from '../record-layouts.ts'
import type { Floors } from './floors.ts'
import type { SealedRecords } from './sealed-records.ts'
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

export interface FirstCountDependencies {
  readonly token: Token
  readonly floors: Pick<Floors, 'of'>
  readonly firstCounts: FirstCounts
  readonly sealedRecords: Pick<SealedRecords, 'newVersionsFrom'>
}

/** See `Hsm.sealFirstCount`. */
export function sealFirstCount(
  { token, floors, firstCounts, sealedRecords }: FirstCountDependencies,
  record: Buffer,
  asker: Asker,
): Uint8Array[] {
  const shown = opened(record)
  const { type, fields } = shown
  const subject = generationOf(shown)?.subject
  // Of an identity of any length the keeper's file would keep all.
  if (
    type !== 'invocations 2' ||
    subject === undefined ||
    fields.invocations < 0 ||
    fields.identity.length !== identityBytes
  )
    throw new Fault('hsm.rejected', 'This is not a count of a version.')
  const firstPolicy = { subject: keySubject(fields.identity), number: 1 }
  const isNewKey = sealedRecords.newVersionsFrom(undefined, firstPolicy) !== undefined
  if (!mayBegin({ ...asker, isNewKey }, fields)) throw refused(type, asker)
  const version = composeRecord(type, { ...fields, invocations: 0 })
  // The keeper may have been told of a count of a version that never came to be.
  const told = floors.of(subject) ?? 0
  const invocations = firstCounts.begin(version, Math.max(fields.invocations, told))
  return [numberField(invocations), seal(token, composeRecord(type, { ...fields, invocations }))]
}
