import { createHash } from 'node:crypto'
import { Fault, isFault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { generationOf, vaultGenerationOf } from '../record-generation.ts'
import { type OpenedRecord, openRecord, type RecordType } from '../record-layouts.ts'
import { type AccountIds, accountOf } from './account-ids.ts'
import type { WritableFloors } from './floors.ts'
import type { ShownRights } from './shown-rights.ts'

/** Reads a record that a client sent. @throws Fault `hsm.rejected` */
export function opened(record: Buffer): OpenedRecord {
  try {
    return openRecord(record)
  } catch (cause) {
    throw new Fault('hsm.rejected', 'The keeper knows no such record.', { cause })
  }
}

/**
 * Verifies and reads a record of this type.
 * @throws Fault `hsm.seal_broken`, `hsm.rejected` for a record of another type
 */
export function shown<T extends RecordType>(
  token: Token,
  type: T | readonly T[],
  sealed: SealedRecord,
): Extract<OpenedRecord, { type: T }> {
  verify(token, sealed)
  const record = opened(sealed.record)
  const types: readonly T[] = typeof type === 'string' ? [type] : type
  if (!isOf(record, types)) throw new Fault('hsm.rejected', `This is not a record of a ${types.join(' or ')}.`)
  return record
}

/** Whether the record bears a good seal. */
export function isSealed(token: Token, sealed: SealedRecord): boolean {
  try {
    verify(token, sealed)
    return true
  } catch (error) {
    if (isFault(error, 'hsm.seal_broken')) return false
    throw error
  }
}

/** Where the newest records are known from. */
export interface NewestRecords {
  readonly token: Token
  readonly floors: WritableFloors
  readonly shownRights: Pick<ShownRights, 'note'>
  readonly accountIds: Pick<AccountIds, 'note'>
}

/** The same for a record that must be the newest, and is from then on. @throws Fault `hsm.outdated` */
export function newestShown<T extends RecordType>(
  on: NewestRecords,
  type: T | readonly T[],
  sealed: SealedRecord,
): Extract<OpenedRecord, { type: T }> {
  const record = shown(on.token, type, sealed)
  noteNewest(on, record)
  return record
}

/**
 * Of a commit that was not shown, this is how the keeper learns. Of two records that were both sealed in place of one,
 * what is decided by the one is decided by the other no more.
 * @throws Fault `hsm.outdated`, also for what is in a deleted vault; `hsm.rejected` for an account with another's id
 */
export function noteNewest(
  { floors, shownRights, accountIds }: Omit<NewestRecords, 'token'>,
  record: OpenedRecord,
): void {
  const account = accountOf(record)
  if (account !== undefined) accountIds.note(account)
  const [generation, ofVault] = [generationOf(record), vaultGenerationOf(record)]
  if (ofVault !== undefined) floors.check(ofVault)
  if (generation === undefined) return
  floors.check(generation)
  floors.raise(generation)
  shownRights.note(record)
}

function isOf<T extends RecordType>(
  record: OpenedRecord,
  types: readonly T[],
): record is Extract<OpenedRecord, { type: T }> {
  return types.some((type) => type === record.type)
}

/** SHA-256 (32 bytes), by which a sealed record tells another one from all that were sealed in its place. */
export const recordDigest = (record: Uint8Array): Buffer => createHash('sha256').update(record).digest()

/** The records of a row of users: of a person, or of a service account. */
export const accountTypes = ['user', 'service account'] as const
