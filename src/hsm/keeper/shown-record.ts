import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { generationOf } from '../record-generation.ts'
import { type OpenedRecord, openRecord, type RecordType } from '../record-layouts.ts'
import type { Floors } from './floors.ts'

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

/** The same for a record that must be the newest. @throws Fault `hsm.outdated` */
export function newestShown<T extends RecordType>(
  token: Token,
  floors: Floors,
  type: T | readonly T[],
  sealed: SealedRecord,
): Extract<OpenedRecord, { type: T }> {
  const record = shown(token, type, sealed)
  const generation = generationOf(record)
  if (generation !== undefined) floors.check(generation)
  return record
}

function isOf<T extends RecordType>(
  record: OpenedRecord,
  types: readonly T[],
): record is Extract<OpenedRecord, { type: T }> {
  return types.some((type) => type === record.type)
}

/** The records of a row of users: of a person, or of a service account. */
export const accountTypes = ['user', 'service account'] as const
