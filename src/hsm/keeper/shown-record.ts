import { Fault, isFault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { type Generation, generationOf, isTombstone, trimmedTo, vaultGenerationOf } from '../record-generation.ts'
import { type FieldsOf, type OpenedRecord, openRecord, type RecordType } from '../record-layouts.ts'
import { hasFactor } from '../user-factors.ts'
import { type AccountIds, accountOf } from './account-ids.ts'
import type { WritableFloors } from './floors.ts'
import { hasSuccession, type SealedRecords } from './sealed-records.ts'
import type { ShownRights } from './shown-rights.ts'

/** Parses a record that a client sent. @throws Fault `hsm.rejected` */
export function opened(record: Buffer): OpenedRecord {
  try {
    return openRecord(record)
  } catch (cause) {
    throw new Fault('hsm.rejected', 'The keeper knows no such record.', { cause })
  }
}

/**
 * Verifies and parses a record of this type.
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

/** Whether the seal of the record is valid. */
export function isSealed(token: Token, sealed: SealedRecord): boolean {
  try {
    verify(token, sealed)
    return true
  } catch (error) {
    if (isFault(error, 'hsm.seal_broken')) return false
    throw error
  }
}

/** The stores that determine whether a record is the newest. */
export interface NewestRecords {
  readonly token: Token
  readonly floors: WritableFloors
  readonly sealedRecords: Pick<SealedRecords, 'check' | 'settle'>
  readonly shownRights: Pick<ShownRights, 'note'>
  readonly accountIds: Pick<AccountIds, 'note'>
}

/** What tells that a record is the newest. */
export type NewestShown = Pick<NewestRecords, 'token' | 'floors' | 'sealedRecords'>

/**
 * The same for a record that must be the newest. Its change may still be uncommitted, and fail.
 * @throws Fault `hsm.outdated`
 */
export function newestShown<T extends RecordType>(
  on: NewestShown,
  type: T | readonly T[],
  sealed: SealedRecord,
): Extract<OpenedRecord, { type: T }> {
  const record = shown(on.token, type, sealed)
  checkNewest(on, sealed.record, record)
  return record
}

/**
 * The same for a record that was read from a committed row. From then on older ones are refused: this is how the keeper
 * learns of a commit that was not shown.
 */
export function committedShown<T extends RecordType>(
  on: NewestRecords,
  type: T | readonly T[],
  sealed: SealedRecord,
): Extract<OpenedRecord, { type: T }> {
  const record = newestShown(on, type, sealed)
  const { generations, settle } = committed(on, sealed.record, record)
  on.floors.raise(...generations)
  settle?.()
  return record
}

/** @throws Fault `hsm.outdated`, also for records of a deleted vault */
export function checkNewest(
  { floors, sealedRecords }: Pick<NewestRecords, 'floors' | 'sealedRecords'>,
  bytes: Buffer,
  record: OpenedRecord,
): void {
  const [generation, ofVault] = [generationOf(record), vaultGenerationOf(record)]
  if (ofVault !== undefined) floors.check(ofVault)
  if (generation === undefined) return
  if (hasSuccession(record.type)) sealedRecords.check(bytes, generation)
  else floors.check(generation)
}

/** What follows from a commit. */
export interface Committed {
  /** The generations that are newest from then on. */
  readonly generations: readonly Generation[]
  /** To be called once the floors are raised. */
  readonly settle?: () => void
}

/** Notes the account's id and the rights that a committed record gives. The record has to be the newest. */
export function committed(on: Omit<NewestRecords, 'token'>, bytes: Buffer, record: OpenedRecord): Committed {
  const [generation, trimmed] = [generationOf(record), trimmedTo(record)]
  if (generation === undefined) return { generations: [] }
  const account = accountOf(record)
  if (account !== undefined) on.accountIds.note(account)
  const generations = trimmed === undefined ? [generation] : [generation, trimmed]
  if (!hasSuccession(record.type) && !isTombstone(record.type)) return { generations }
  const before = on.floors.of(generation.subject)
  on.shownRights.note(record, before)
  return { generations, settle: () => on.sealedRecords.settle(bytes, generation, before) }
}

function isOf<T extends RecordType>(
  record: OpenedRecord,
  types: readonly T[],
): record is Extract<OpenedRecord, { type: T }> {
  return types.some((type) => type === record.type)
}

/** The types of records for rows of users: a person, or a service account. */
export const accountTypes = ['user', 'service account'] as const

/**
 * Whether this is a second factor of this user. The user's record must name it, and it must be sealed for this user:
 * otherwise codes of another user's device could be tried along with one's own.
 */
export function holdsFactor(
  { id, factors }: Pick<FieldsOf<'user'>, 'id' | 'factors'>,
  { record }: Pick<SealedRecord, 'record'>,
): boolean {
  if (!hasFactor(factors, record)) return false
  const { fields } = opened(record)
  return 'userId' in fields && fields.userId === id
}
