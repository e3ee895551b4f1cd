import { clockSkewMs } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import type { FieldsOf, OpenedRecord, RecordType } from '../record-layouts.ts'
import type { Authority } from './authority.ts'
import { takenAway } from './shown-rights.ts'

/** Who asks the keeper: a worker, or the operator's console over a socket of its own. */
export type Origin = 'worker' | 'operator'

/** @throws Fault `hsm.rejected` for a worker */
export function checkOperator(origin: Origin): void {
  if (origin !== 'operator') throw new Fault('hsm.rejected', 'The keeper does this only for the operator.')
}

/** What rules need besides the records of the request. */
export interface RuleContext {
  /** `users.recovery` of the configuration. */
  readonly recovery: 'approved' | 'open'
  /** Whether `by` made one of the user's recoveries with numbers from `after` + 1 to `upTo`. */
  readonly madeRecovery: (by: number, user: Buffer, after: number, upTo: number) => boolean
  readonly now: number
}

export interface Change<T extends RecordType = RecordType> extends RuleContext, Authority {
  readonly next: Extract<OpenedRecord, { type: T }>
  /** The sealed record that is replaced; undefined for the first one. */
  readonly previous: Extract<OpenedRecord, { type: T }> | undefined
  readonly origin: Origin
  /** The newest record of a membership's user, or of a service account's owner, where the request has it. */
  readonly person?: Person | undefined
}

/** A user or service account whose recoveries count. */
export type Person = Pick<FieldsOf<'user'>, 'identity' | 'recoveries'> & {
  /**
   * Whether a commit of the record was shown, if it was sealed here. The recoveries of an uncommitted record may never
   * exist.
   */
  readonly isSettled?: boolean
} &
  // Set for a service account.
  Partial<Pick<FieldsOf<'service account'>, 'account'>>

/** Whether a record may be sealed. */
export type Rule<T extends RecordType> = (change: Change<T>) => boolean

/** Whether the named fields are unchanged. */
export function isSame<T extends { readonly fields: object }>(
  next: T,
  previous: T | undefined,
  ...names: readonly (keyof T['fields'])[]
): boolean {
  if (previous === undefined) return true
  const [after, before]: readonly [T['fields'], T['fields']] = [next.fields, previous.fields]
  return names.every((name) => isEqual(after[name], before[name]))
}

/** Whether a time in a record is that of the change. The clocks of worker and keeper may differ. */
export const isNow = (time: number, { now }: Pick<Change, 'now'>): boolean => Math.abs(time - now) <= clockSkewMs

export function isEqual(one: unknown, other: unknown): boolean {
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other
}

/**
 * Whether this is the caller's account, with as many recoveries as when the grant was sealed. Of two records sealed in
 * place of the same one, the other may count none.
 */
export const isOfGrant = ({ identity, recoveries }: Person, grant: Authority['grant']): boolean =>
  grant?.user.equals(identity) === true && grant.recoveries === recoveries

/**
 * Whether the person has this many recoveries. Those of a record that is not committed do not count.
 * @throws Fault `store.conflict` while the change of the record is being committed
 */
export function hasRecovered(person: Person, recoveries: number): boolean {
  if (recoveries > person.recoveries) return false
  if (recoveries > 0 && person.isSettled !== true) throw new Fault('store.conflict')
  return true
}

/** @param by who asks, where it may be for want of rights that were taken away from the caller */
export function refused(type: string, by?: Pick<Authority, 'isLowered'>): Fault {
  return by?.isLowered === true ? takenAway() : new Fault('hsm.rejected', `The keeper does not seal this ${type}.`)
}
