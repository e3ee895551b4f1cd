import { clockSkewMs, isGrantInTime } from '../../access/decision.ts'
import { permissionBits } from '../../access/permission.ts'
import { Fault } from '../../fault.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { FieldsOf } from '../record-layouts.ts'
import { rotationMs } from '../rotation-due.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { EndedSessions } from './ended-sessions.ts'
import { opened } from './shown-record.ts'
import type { ShownRights } from './shown-rights.ts'

/** What a worker shows that it may change something: neither where it names nothing. */
export interface Authority {
  /** What the caller may do for whom the worker asks. */
  readonly grant: FieldsOf<'grant'> | undefined
  /** That a key's own policy asks for its next version. */
  readonly rotation: FieldsOf<'rotation'> | undefined
  /** That the caller has just shown a second factor, for a change of his own. */
  readonly fresh?: FieldsOf<'fresh grant'>
}

/** What narrows a membership narrows Read: beside it no permission counts for more. */
const asNarrow = (grant: FieldsOf<'grant'>): FieldsOf<'grant'> =>
  grant.grants === null ? grant : { ...grant, permission: Math.min(grant.permission, permissionBits.Read) }

export interface AuthorityDependencies {
  readonly token: Token
  readonly endedSessions: Pick<EndedSessions, 'has'>
  readonly shownRights: Pick<ShownRights, 'check'>
}

/**
 * The authority that came with a request.
 * @throws Fault `hsm.seal_broken`, `hsm.rejected` for one that has expired, or is something else; `session.invalid`,
 * `access.permission` for a grant whose session was ended since, or whose caller may less
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
  const grant = record.type === 'grant' ? asNarrow(record.fields) : { ...record.fields, ...inNoVault }
  shownRights.check(grant)
  return { grant, rotation: undefined, ...(record.type === 'fresh grant' && { fresh: record.fields }) }
}

const inNoVault = { vault: null, permission: 0, grants: null } as const
