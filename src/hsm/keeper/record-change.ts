import { Fault } from '../../fault.ts'
import type { FieldsOf, OpenedRecord, RecordType } from '../record-layouts.ts'
import type { Authority } from './authority.ts'

/** Who asks the keeper: a worker of the daemon, or the operator's console over a socket of its own. */
export type Origin = 'worker' | 'operator'

/** @throws Fault `hsm.rejected` for a worker */
export function checkOperator(origin: Origin): void {
  if (origin !== 'operator') throw new Fault('hsm.rejected', 'The keeper does this only for the operator.')
}

/** What the keeper knows beside the records that it is shown. */
export interface RuleContext {
  /** `users.recovery` of the configuration. */
  readonly recovery: 'approved' | 'open'
  /** Whether this user made one of the recoveries of a user after the one number, up to the other. */
  readonly madeRecovery: (by: number, user: Buffer, after: number, upTo: number) => boolean
  readonly now: number
}

export interface Change<T extends RecordType = RecordType> extends RuleContext, Authority {
  readonly next: Extract<OpenedRecord, { type: T }>
  /** The sealed record that it takes the place of; undefined for a new one. */
  readonly previous: Extract<OpenedRecord, { type: T }> | undefined
  readonly origin: Origin
  /** The newest record of the user of a membership, or of the owner of a service account, where it was shown. */
  readonly member?: Person | undefined
}

/** Whose recoveries are counted: of a user, or of a service account. */
export type Person = Pick<FieldsOf<'user'>, 'identity' | 'recoveries'> & {
  /** Whether the record was shown as committed, as far as it was sealed here: recoveries of others may never be. */
  readonly isSettled?: boolean
} &
  // Of a service account.
  Partial<Pick<FieldsOf<'service account'>, 'account'>>

/** Whether a record may be sealed. */
export type Rule<T extends RecordType> = (change: Change<T>) => boolean

/** Whether these fields are as they were. */
export function isSame<T extends { readonly fields: object }>(
  next: T,
  previous: T | undefined,
  ...names: readonly (keyof T['fields'])[]
): boolean {
  if (previous === undefined) return true
  const [after, before]: readonly [T['fields'], T['fields']] = [next.fields, previous.fields]
  return names.every((name) => isEqual(after[name], before[name]))
}

export function isEqual(one: unknown, other: unknown): boolean {
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other
}

/**
 * Whether this is the account of the caller, in the hands that it was in when the grant was sealed: of two records that
 * were both sealed in place of one, the other may count no recovery.
 */
export const isOfGrant = ({ identity, recoveries }: Person, grant: Authority['grant']): boolean =>
  grant?.user.equals(identity) === true && grant.recoveries === recoveries

/**
 * Whether this many recoveries of the person have been. Of a record that comes to nothing after all none is counted.
 * @throws Fault `store.conflict` while the change of the record is under way
 */
export function hasRecovered(person: Person, recoveries: number): boolean {
  if (recoveries > person.recoveries) return false
  if (recoveries > 0 && person.isSettled !== true) throw new Fault('store.conflict')
  return true
}

export function refused(type: string): Fault {
  return new Fault('hsm.rejected', `The keeper does not seal this ${type}.`)
}
