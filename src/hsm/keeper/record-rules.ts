import { holds } from '../../access/capabilities.ts'
import { checkPublicJwk, readPublicJwk } from '../public-jwk.ts'
import { followEachOther } from '../record-generation.ts'
import type { FieldsOf, OpenedRecord, RecordType } from '../record-layouts.ts'
import type { Authority } from './authority.ts'
import { linkRule } from './link-rule.ts'
import { checkNewVersion, isSameKey, keyRules } from './key-rules.ts'
import { checkFirstMember, checkVaultKey, isAllowed, peopleRules } from './people-rules.ts'
import { type Change, isEqual, isSame, refused, type Rule } from './record-change.ts'
import { serviceRule } from './service-rules.ts'

const isAdministrator = ({ capabilities }: FieldsOf<'grant'>): boolean => holds(capabilities, 'admin')

/** Whether a record may be sealed. A type without a rule is never sealed. */
const rules: { readonly [T in RecordType]: Rule<T> } = {
  template: ({ origin }) => origin === 'operator',
  // Neither is anybody's factor before the user's record names it.
  'user certificate': (change) => change.previous === undefined && isAllowed(change, isAdministrator),
  // Nobody gives a passkey to another: its authenticator made it for this user.
  passkey: ({ next, previous, fresh }) =>
    previous === undefined && fresh?.userId === next.fields.userId && isPublicJwkText(next.fields.publicKey),
  'validation client': ({ origin, next, previous }) =>
    origin === 'operator' &&
    isSameKey(next, previous) &&
    (previous === undefined ||
      // It is revoked, once.
      (previous.fields.revokedAt === null && isSame(next, previous, 'id', 'name', 'allowUnsigned'))),
  otp: ({ next, previous, ...asked }) =>
    (isAllowed(asked, isAdministrator) || isOwn(asked, next.fields, previous?.fields)) &&
    isOtpKey(next.key?.kind) &&
    isWrapped(next) &&
    isSameKey(next, previous) &&
    keepsDevice(next.fields, previous?.fields),
  // Of release 0.2.0: taken over (`earlier-keys.ts`), and sealed no more.
  'vault key': () => false,
  'transparent key': () => false,
  'transparent key version': () => false,
  invocations: () => false,
  // Follows the record of its vault (`checkVaultKey`).
  'vault key 2': () => false,
  'accepted backup': ({ origin, previous }) => origin === 'operator' && previous === undefined,
  ...keyRules,
  ...peopleRules,
  // A login begins sessions (`logins.ts`); a session goes on under another token for those who have shown the present one.
  session: ({ next, previous, grant, fresh }) =>
    previous !== undefined &&
    fresh === undefined &&
    grant?.session.equals(next.fields.identity) === true &&
    isSame(next, previous, 'identity', 'user', 'applicationKey', 'recoveries', 'certificate', 'createdAt', 'expiresAt'),
  // It goes on under no other token: the account logs in again.
  'service session': () => false,
  'service account': serviceRule,
  'one-time link': linkRule,
  // The keeper composes what allows something, and what says that it has ended; it seals none of it for others.
  grant: () => false,
  'fresh grant': () => false,
  'passkey challenge': () => false,
  rotation: () => false,
  'deleted vault': () => false,
  'destroyed key': () => false,
  'unused key': () => false,
  'discarded key': () => false,
  // What it tells other keepers, likewise.
  'floor news': () => false,
}

/** @throws Fault `hsm.rejected` for a record that the keeper does not seal in place of `previous` */
export function checkChange(change: AnyChange): void {
  const { next, previous } = change
  // The first member of a vault follows the record of the vault.
  if (previous?.type === 'vault' && next.type === 'membership') return checkFirstMember(next, previous, change)
  if (previous?.type === 'vault' && next.type === 'vault key 2') return checkVaultKey(next, previous, change)
  if (previous?.type === 'transparent key 2' && next.type === 'transparent key version 2')
    return checkNewVersion(next, previous, change)
  if (previous !== undefined && !followEachOther(previous.type, next.type)) throw refused(next.type)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are of the type of the rule
  const rule = rules[next.type] as (change: AnyChange) => boolean
  if (!rule(change)) throw refused(next.type)
}

/** A change of a record of any type. */
export interface AnyChange extends Omit<Change, 'next' | 'previous'> {
  readonly next: OpenedRecord
  readonly previous: OpenedRecord | undefined
}

/**
 * Of a user's own device. A new one is nobody's factor before the record of the user names it; one that is known changes
 * hands between the user and the stock alone, and for a user who has just shown a second factor.
 */
function isOwn({ grant, fresh }: Authority, next: Device, previous: Device | undefined): boolean {
  if (previous === undefined) return grant !== undefined && grant.userId === next.userId
  if (fresh === undefined) return false
  const [after, before] = [next.userId, previous.userId]
  return (after === fresh.userId && before === null) || (after === null && before === fresh.userId)
}

/** Whether signatures can be checked by it. */
function isPublicJwkText(text: string): boolean {
  try {
    checkPublicJwk(readPublicJwk(JSON.parse(text)))
    return true
  } catch {
    return false
  }
}

const isWrapped = ({ key }: OpenedRecord): boolean => key?.kek.startsWith('strict.') === true

type Device = FieldsOf<'otp'>

/** A device changes its holder, and nothing else: its codes are those that it was enrolled with. */
function keepsDevice(next: Device, previous: Device | undefined): boolean {
  const lasting = ['device', 'publicId', 'privateIdCheck', 'digits', 'periodSeconds'] as const
  return previous === undefined || lasting.every((name) => isEqual(next[name], previous[name]))
}

const isOtpKey = (kind: string | undefined): boolean => kind?.startsWith('otp-') === true
