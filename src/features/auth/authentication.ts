import { mayLogIn } from '../../access/capabilities.ts'
import { currentResponseVersion, type Caller, type ResponseVersion, type VaultAccess } from '../../access/caller.ts'
import { permissionFromBit } from '../../access/permission.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Admission, Authentication, AuthenticationRequest, Authenticator } from '../../access/authenticator.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { ResourceQuery } from '../../access/resource.ts'
import { onHold } from '../users/recovery-records.ts'
import {
  createCallerGrants,
  type CallerGrants,
  type CallerGrantsDependencies,
  type GrantSubject,
  type KeptGrant,
} from './caller-grants.ts'
import { createSessionEnding } from './session-ending.ts'
import { createLivenessCheck, type FoundSession, type LivenessDependencies } from './session-liveness.ts'
import { createServiceLiveness } from './service-liveness.ts'
import { standingOf } from './session-records.ts'
import { hashOf } from './session-token.ts'
import { createTokenRotation, type RotatedSession, type RotationRules } from './token-rotation.ts'

type SessionRow = FoundSession &
  RotatedSession & {
    readonly shapes: ResponseVersion | null
    readonly permission: number | null
    readonly grants: string | null
    readonly member_vault_id: number | null
    readonly member_generation: number | null
    /** 1 where the membership is on hold. */
    readonly on_hold: number
    /** `Vault.strict`: 0 or 1. */
    readonly strict: number | null
  }

/** `token`: the one for the answer. */
interface Asked {
  readonly request: AuthenticationRequest
  readonly hash: string
  readonly token: string
}

export interface AuthenticatorDependencies
  extends Omit<LivenessDependencies, 'endSessions' | 'isServiceAlive'>, Pick<CallerGrantsDependencies, 'membershipOf'> {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'sessionTokenSuccessor' | 'seal' | 'grant' | 'endSessions'>
  readonly clock: Clock
  readonly rules: RotationRules
}

/** Authenticates clients by one SELECT over session, user, application key, membership and the resource of the path. */
export function createAuthenticator(dependencies: AuthenticatorDependencies): Authenticator {
  const { store, hsm, clock } = dependencies
  const grants = createCallerGrants(dependencies)
  const checkLiveness = createLivenessCheck({
    ...dependencies,
    endSessions: createSessionEnding(hsm),
    isServiceAlive: createServiceLiveness(),
  })
  const nextToken = createTokenRotation(dependencies)
  const statementOf = createStatements()

  async function authenticationIn(row: SessionRow, asked: Asked): Promise<Authentication> {
    const { request, hash, token } = asked
    const subject = subjectOf(row, request.token, hash)
    let standing: GrantedStanding
    try {
      standing = await confirmed(grants, subject, row)
    } catch (error) {
      if (!isFault(error, 'vault.not_found')) throw error
      // The membership has ended since the row was read; the caller is still known.
      return authenticationIn({ ...row, member_vault_id: null }, asked)
    }
    const grant = async () => (await grants.of(subject)).sealed
    const elsewhere = async (vaultId: number): Promise<Authentication> => {
      const { resource: _, ...asking } = request
      const there = { ...asking, vaultId }
      const rowThere = await fetch(hash, there)
      if (rowThere === undefined) throw new Fault('session.invalid')
      return authenticationIn(rowThere, { request: there, hash, token })
    }
    const grantIn = async (vaultId: number) => (await elsewhere(vaultId)).vault?.grant()
    const { vault, onHoldIn } = accessTo(row.member_vault_id, standing, row, { grant, grantIn })
    return {
      token,
      caller: callerOf(row, standing),
      vault,
      onHoldIn,
      grant,
      // Without membership the answer must not reveal whether the resource exists.
      resource: vault && request.resource?.query.read(row),
      elsewhere,
    }
  }

  async function fetch(hash: string, request: AuthenticationRequest): Promise<SessionRow | undefined> {
    const { vaultId, resource } = request
    const rows = await store.query<SessionRow>(statementOf(resource?.query), [
      hash,
      ...(resource?.query.vaultOf ? [] : [vaultId ?? null]),
      ...(resource ? [resource.name] : []),
    ])
    return rows[0]
  }

  return {
    async authenticate(request) {
      const hash = hashOf(request.token)
      const row = hash === undefined ? undefined : await fetch(hash, request)
      if (hash === undefined || row === undefined) throw new Fault('session.invalid')
      const now = clock.now()
      await checkLiveness(row, request.address, now)
      const token = request.leavesSession ? request.token : await nextToken(row, { token: request.token, hash }, now)
      return authenticationIn(row, { request, hash, token })
    },

    reauthorize,
  }
}

async function reauthorize(reader: Reader, { caller, vault, grant }: Authentication): Promise<Admission> {
  const standing = await standingOf(reader, caller.sessionId, vault?.id ?? null)
  if (standing === undefined || !mayLogIn(standing.capabilities)) throw new Fault('session.invalid')
  return {
    caller: { ...caller, capabilities: standing.capabilities },
    ...accessTo(
      vault?.id ?? null,
      standing,
      { on_hold: standing.on_hold, strict: Number(vault?.strict) },
      { grant, grantIn: vault?.grantIn ?? noGrant },
    ),
  }
}

/** The session and, unless it is on hold, the membership for which a grant is asked. */
function subjectOf(row: SessionRow, token: string, hash: string): GrantSubject {
  const { member_vault_id: vaultId, member_generation: generation } = row
  const own = `${hash} ${row.user_generation}`
  if (vaultId === null || generation === null || row.on_hold === 1) return { name: own, token, hash, member: undefined }
  return { name: `${own} ${vaultId} ${generation}`, token, hash, member: { vaultId, generation } }
}

/**
 * What the caller may do: the rights in the row, provided the keeper's grant agrees with them. While the keeper cannot
 * be reached, the row alone decides; that is safe, because whatever needs a key needs the grant as well.
 */
async function confirmed(grants: CallerGrants, subject: GrantSubject, row: SessionRow): Promise<GrantedStanding> {
  try {
    const { fields } = await grants.of(subject)
    if (agrees(fields, row)) return row
    // The row was edited, or changed after it was read: the keeper decides on the newest records.
    const { fields: anew } = await grants.of(subject, 'anew')
    const { capabilities } = anew
    const { permission, grants: narrowing } = subject.member === undefined ? row : anew
    return { capabilities, permission, grants: narrowing }
  } catch (error) {
    if (isFault(error, 'hsm.unavailable') || isFault(error, 'hsm.sealed')) return row
    throw error
  }
}

type GrantedStanding = Pick<SessionRow, 'capabilities' | 'permission' | 'grants'>

function agrees({ userId, capabilities, vault, permission, grants }: KeptGrant['fields'], row: SessionRow): boolean {
  const isSame = userId === row.user_id && capabilities === row.capabilities
  return isSame && (vault === null || (permission === row.permission && grants === row.grants))
}

const noGrant = () => Promise.resolve(undefined)

/** The caller's rights in a vault; none while the membership is on hold. */
function accessTo(
  vaultId: number | null,
  { permission: bit, grants: narrowing }: Pick<GrantedStanding, 'permission' | 'grants'>,
  { on_hold: isOnHold, strict }: Pick<SessionRow, 'on_hold' | 'strict'>,
  grants: Pick<VaultAccess, 'grant' | 'grantIn'>,
): Pick<Authentication, 'vault' | 'onHoldIn'> {
  const permission = bit === null ? undefined : permissionFromBit(bit)
  if (permission === undefined || vaultId === null) return { vault: undefined, onHoldIn: undefined }
  if (isOnHold === 1) return { vault: undefined, onHoldIn: vaultId }
  const vault = { id: vaultId, permission, scope: scopeOf(narrowing), strict: strict === 1, ...grants }
  return { vault, onHoldIn: undefined }
}

function callerOf(row: SessionRow, { capabilities }: Pick<GrantedStanding, 'capabilities'>): Caller {
  return {
    userId: row.user_id,
    username: row.username,
    capabilities,
    sessionId: row.session_id,
    applicationKeyId: row.application_key_id,
    responseVersion: row.shapes ?? currentResponseVersion,
  }
}

/** Caches the SQL text per kind of resource, since the statements are few and each call needs one. */
function createStatements(): (query: ResourceQuery<unknown> | undefined) => string {
  const built = new Map<ResourceQuery<unknown> | undefined, string>()
  return (query) => {
    const known = built.get(query)
    if (known !== undefined) return known
    const statement = `
      SELECT s.id AS session_id, s.created_at, s.last_seen_at, s.ended_at, s.certificate, s.credential, s.expires_at,
        t.issued_at, t.superseded_at, t.uses, u.id AS user_id, u.username, u.capabilities, u.service, u.generation AS user_generation,
        a.id AS application_key_id, a.revoked_at, a.shapes, m.permission, m.grants, m.vault_id AS member_vault_id,
        m.generation AS member_generation,
        CASE WHEN ${onHold('m')} THEN 1 ELSE 0 END AS on_hold,
        (SELECT w.strict FROM vaults w WHERE w.id = m.vault_id) AS strict
        ${query ? `, ${query.columns}` : ''}
      FROM session_tokens t
      JOIN sessions s ON s.id = t.session_id
      JOIN users u ON u.id = s.user_id
      LEFT JOIN application_keys a ON a.id = s.application_key_id
      ${joins(query)}
      WHERE t.hash = $1`
    built.set(query, statement)
    return statement
  }
}

/** Joins for membership and resource. The join that yields the other's vault has to come first. */
function joins(query: ResourceQuery<unknown> | undefined): string {
  const membership = 'LEFT JOIN vault_members m ON m.user_id = u.id AND m.vault_id ='
  if (query?.vaultOf) return `${query.join('', '$2')} ${membership} ${query.vaultOf.vault}`
  return `${membership} $2 ${query ? query.join('m.vault_id', '$3') : ''}`
}
