import { Fault } from '../../fault.ts'
import { isKeyPairKind } from '../key-kind.ts'
import type { OpenedRecord, RecordType } from '../record-layouts.ts'

/** Who asks the keeper: a worker of the daemon, or the operator's console over a socket of its own. */
export type Origin = 'worker' | 'operator'

interface Change<T extends RecordType = RecordType> {
  readonly next: Extract<OpenedRecord, { type: T }>
  /** The sealed record that it takes the place of; undefined for a new one. */
  readonly previous: Extract<OpenedRecord, { type: T }> | undefined
  readonly origin: Origin
}

type Rule<T extends RecordType> = (change: Change<T>) => boolean

/** Whether a record may be sealed. A type without a rule is never sealed. */
const rules: { readonly [T in RecordType]: Rule<T> } = {
  template: ({ origin }) => origin === 'operator',
  'user certificate': ({ previous }) => previous === undefined,
  'validation client': ({ origin, next, previous }) => origin === 'operator' && isSameKey(next, previous),
  otp: ({ next, previous }) => isOtpKey(next.key?.kind) && isSameKey(next, previous),
  'vault key': ({ next, previous }) => next.key?.kind === 'aes256-gcm' && previous === undefined,
  'transparent key': ({ next, previous }) => next.key === undefined && isSame(next, previous, 'id', 'vaultId', 'name'),
  'transparent key version': ({ next, previous }) =>
    isSameKey(next, previous) && isSame(next, previous, 'keyId', 'vaultId', 'type', 'version'),
  // What was used up stays used up.
  invocations: ({ next, previous }) =>
    isSame(next, previous, 'keyId', 'version') && next.fields.invocations >= (previous?.fields.invocations ?? 0),
}

/** @throws Fault `hsm.rejected` for a record that the keeper does not seal in place of `previous` */
export function checkChange(next: OpenedRecord, previous: OpenedRecord | undefined, origin: Origin): void {
  if (previous !== undefined && previous.type !== next.type) throw refused(next.type)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are of the type of the rule
  const rule = rules[next.type] as (change: Change) => boolean
  if (!rule({ next, previous, origin })) throw refused(next.type)
}

function isSameKey({ key }: OpenedRecord, previous: OpenedRecord | undefined): boolean {
  if (key === undefined || (isKeyPairKind(key.kind) && key.publicKey === undefined)) return false
  const before = previous?.key
  return before === undefined || (before.kind === key.kind && before.kek === key.kek && before.blob.equals(key.blob))
}

function isSame<T extends { readonly fields: object }>(
  next: T,
  previous: T | undefined,
  ...names: readonly (keyof T['fields'])[]
): boolean {
  if (previous === undefined) return true
  const [after, before]: readonly [T['fields'], T['fields']] = [next.fields, previous.fields]
  return names.every((name) => after[name] === before[name])
}

const isOtpKey = (kind: string | undefined): boolean => kind?.startsWith('otp-') === true

function refused(type: string): Fault {
  return new Fault('hsm.rejected', `The keeper does not seal this ${type}.`)
}
