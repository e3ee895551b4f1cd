import { clockSkewMs, isGrantInTime } from '../../access/decision.ts'
import { permissionBits } from '../../access/permission.ts'
import { Fault } from '../../fault.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { outdated } from '../record-generation.ts'
import type { FieldsOf } from '../record-layouts.ts'
import { rotationMs } from '../rotation-due.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { ExpiringSet } from './expiring-set.ts'
import { opened } from './shown-record.ts'
import type { ShownRights } from './shown-rights.ts'

/** What authorizes a worker's change. A change on nobody's behalf has neither grant nor rotation. */
export interface Authority {
  /** The grant of the caller on whose behalf the worker asks. */
  readonly grant: FieldsOf<'grant'> | undefined
  /** The record by which the policy of a key allows its next version. */
  readonly rotation: FieldsOf<'rotation'> | undefined
  /** The proof that the caller has just shown a second factor, for a change of the caller's own factors. */
  readonly fresh?: FieldsOf<'fresh grant'>
  /** Whether some of the rights of the grant were taken away after it was sealed: `grant` has those that are left. */
  readonly isLowered?: boolean
  /**
   * Whether another keeper reported a change of the caller since: some rights of the grant may have been taken away, and it
   * is not known which.
   */
  readonly isOvertaken?: boolean
}

/** Grants narrow a membership to Read at most, whatever its permission is. */
const asNarrow = (grant: FieldsOf<'grant'>): FieldsOf<'grant'> =>
  grant.grants === null ? grant : { ...grant, permission: Math.min(grant.permission, permissionBits.Read) }

export interface AuthorityDependencies {
  readonly token: Token
  readonly endedSessions: Pick<ExpiringSet, 'has'>
  readonly shownRights: Pick<ShownRights, 'leftOf' | 'isOvertaken'>
}

/**
 * Reads and checks the authority in a request.
 * @throws Fault `hsm.seal_broken`; `hsm.rejected` for one that has expired, or is another record; `session.invalid`,
 * `access.permission` for a grant whose session has ended since, or whose caller has no rights any more
 */
export function readAuthority(
  { token, endedSessions, shownRights }: AuthorityDependencies,
  fields: RequestFields,
): Authority {
  const sealed = fields.optionalSealed()
  if (sealed === undefined) return { grant: undefined, rotation: undefined }
  verify(token, sealed)
  const record = opened(sealed.record)
  if (record.type !== 'grant' && record.type !== 'rotation' && record.type !== 'fresh grant')
    throw new Fault('hsm.rejected', 'This is not a record of a grant.')
  const { expiresAt } = record.fields
  const now = Date.now()
  const isInTime =
    record.type === 'rotation'
      ? expiresAt >= now && expiresAt <= now + rotationMs + clockSkewMs
      : isGrantInTime(expiresAt, now)
  if (!isInTime) throw new Fault('hsm.rejected', 'The grant is not good at this time.')
  if (record.type === 'rotation') return { grant: undefined, rotation: record.fields }
  if (endedSessions.has(record.fields.session)) throw new Fault('session.invalid')
  const sealedGrant = record.type === 'grant' ? asNarrow(record.fields) : { ...record.fields, ...inNoVault }
  const grant = shownRights.leftOf(sealedGrant)
  const fresh = record.type === 'fresh grant' && { fresh: record.fields }
  const isOvertaken = shownRights.isOvertaken(sealedGrant)
  return { grant, rotation: undefined, ...fresh, isLowered: grant !== sealedGrant, isOvertaken }
}

/** @throws Fault `hsm.outdated` for a change that would outlast the grant's minute, unless its rights are known */
export function checkLasting({ isOvertaken }: Pick<Authority, 'isOvertaken'>): void {
  if (isOvertaken === true) throw outdated()
}

const inNoVault = { vault: null, permission: 0, grants: null } as const
