import { holds } from '../../access/capabilities.ts'
import { sessionTokenHashForm } from '../../access/session-token-form.ts'
import { checkPublicJwk, readPublicJwk } from '../public-jwk.ts'
import { followEachOther } from '../record-generation.ts'
import type { FieldsOf, OpenedRecord, RecordType } from '../record-layouts.ts'
import { type Authority, checkLasting } from './authority.ts'
import { linkRule } from './link-rule.ts'
import { checkNewVersion, isSameKey, keyRules } from './key-rules.ts'
import { checkFirstMember, checkVaultKey, isAllowed, peopleRules } from './people-rules.ts'
import { type Change, isEqual, isSame, refused, type Rule } from './record-change.ts'
import { serviceRule } from './service-rules.ts'

const isAdministrator = ({ capabilities }: FieldsOf<'grant'>): boolean => holds(capabilities, 'admin')

/** The rule of each type of record. A type without a rule is never sealed. */
const rules: { readonly [T in RecordType]: Rule<T> } = {
  template: ({ origin }) => origin === 'operator',
  // Devices and certificates are second factors only once the user's record names them.
  'user certificate': (change) => change.previous === undefined && isAllowed(change, isAdministrator),
  // Only users themselves register passkeys, since their authenticators make them for this user.
  passkey: ({ next, previous, fresh }) =>
    previous === undefined && fresh?.userId === next.fields.userId && isPublicJwkText(next.fields.publicKey),
  'validation client': ({ origin, next, previous }) =>
    origin === 'operator' &&
    isSameKey(next, previous) &&
    (previous === undefined ||
      // It can be revoked, once.
      (previous.fields.revokedAt === null && isSame(next, previous, 'id', 'name', 'allowUnsigned'))),
  otp: ({ next, previous, ...asked }) =>
    (isAllowed(asked, isAdministrator) || isOwn(asked, next.fields, previous?.fields)) &&
    isOtpKey(next.key?.kind) &&
    isWrapped(next) &&
    isSameKey(next, previous) &&
    keepsDevice(next.fields, previous?.fields),
  // Records of release 0.2.0 are taken over (`earlier-keys.ts`), and never sealed again.
  'vault key': () => false,
  'transparent key': () => false,
  'transparent key version': () => false,
  invocations: () => false,
  // It follows the record of its vault (`checkVaultKey`).
  'vault key 2': () => false,
  'accepted backup': ({ origin, previous }) => origin === 'operator' && previous === undefined,
  ...keyRules,
  ...peopleRules,
  // Sessions begin with a login (`logins.ts`). One continues under another token for a caller who has shown the present
  // one.
  session: ({ next, previous, grant, fresh }) =>
    previous !== undefined &&
    fresh === undefined &&
    // Of a hash of any length the keeper's file would keep all.
    sessionTokenHashForm.test(next.fields.tokenHash) &&
    grant?.session.equals(next.fields.identity) === true &&
    isSame(next, previous, 'identity', 'user', 'applicationKey', 'recoveries', 'certificate', 'createdAt', 'expiresAt'),
  // It never continues under another token: the account logs in again.
  'service session': () => false,
  'service account': serviceRule,
  'one-time link': linkRule,
  // Records that allow something, or say that it has ended, are composed by the keeper itself and never sealed on
  // request.
  grant: () => false,
  'fresh grant': () => false,
  'passkey challenge': () => false,
  rotation: () => false,
  'object permit': () => false,
  'deleted vault': () => false,
  'destroyed key': () => false,
  'unused key': () => false,
  'discarded key': () => false,
  // The same for news to other keepers.
  'floor news': () => false,
}

/** Types of records by which rights are given. */
const givesRights: ReadonlySet<RecordType> = new Set([
  'user',
  'service account',
  'membership',
  'scoped membership',
] as const)

/**
 * @throws Fault `hsm.rejected` for a record that must not be sealed in place of `previous`; `hsm.outdated` where a
 * keeper reported a change of the caller
 */
export function checkChange(change: AnyChange): void {
  const { next, previous } = change
  if (givesRights.has(next.type)) checkLasting(change)
  // The first membership follows the record of the vault.
  if (previous?.type === 'vault' && next.type === 'membership') return checkFirstMember(next, previous, change)
  if (previous?.type === 'vault' && next.type === 'vault key 2') return checkVaultKey(next, previous, change)
  if (previous?.type === 'transparent key 2' && next.type === 'transparent key version 2')
    return checkNewVersion(next, previous, change)
  if (previous !== undefined && !followEachOther(previous.type, next.type)) throw refused(next.type)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both are of the type of the rule
  const rule = rules[next.type] as (change: AnyChange) => boolean
  if (!rule(change)) throw refused(next.type, change)
}

/** A change of a record of any type. */
export interface AnyChange extends Omit<Change, 'next' | 'previous'> {
  readonly next: OpenedRecord
  readonly previous: OpenedRecord | undefined
}

/**
 * Changes of an OTP device by its own user. A new device is a second factor only once the user's record names it. A
 * known one is given to the user or given up by the user, who has just shown a second factor.
 */
function isOwn({ grant, fresh }: Authority, next: Device, previous: Device | undefined): boolean {
  if (previous === undefined) return grant !== undefined && grant.userId === next.userId
  if (fresh === undefined) return false
  const [after, before] = [next.userId, previous.userId]
  return (after === fresh.userId && before === null) || (after === null && before === fresh.userId)
}

/** That of an RSA key of 8,192 bits takes 1.4 KB. */
const longestJwk = 4_096

/** Whether the text is a public key with which signatures can be checked. */
function isPublicJwkText(text: string): boolean {
  if (text.length > longestJwk) return false
  try {
    checkPublicJwk(readPublicJwk(JSON.parse(text)))
    return true
  } catch {
    return false
  }
}

const isWrapped = ({ key }: OpenedRecord): boolean => key?.kek.startsWith('strict.') === true

type Device = FieldsOf<'otp'>

/** Only the holder of a device changes: its secrets stay those of its enrolment. */
function keepsDevice(next: Device, previous: Device | undefined): boolean {
  const lasting = ['device', 'publicId', 'privateIdCheck', 'digits', 'periodSeconds'] as const
  return previous === undefined || lasting.every((name) => isEqual(next[name], previous[name]))
}

const isOtpKey = (kind: string | undefined): boolean => kind?.startsWith('otp-') === true
