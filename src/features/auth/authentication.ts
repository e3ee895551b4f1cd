import { mayLogIn } from '../../access/capabilities.ts'
import type { ResponseVersion } from '../../access/caller.ts'
import { permissionFromBit } from '../../access/permission.ts'
import type { Authentication, AuthenticationRequest, Authenticator } from '../../access/authenticator.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { ResourceQuery } from '../../access/resource.ts'
import { rests } from '../users/recovery-records.ts'
import { createLivenessCheck, type FoundSession, type LivenessDependencies } from './session-liveness.ts'
import { standingOf } from './session-records.ts'
import { hashOf } from './session-token.ts'
import { createTokenRotation, type RotatedSession, type RotationRules } from './token-rotation.ts'

type SessionRow = FoundSession &
  RotatedSession & {
    readonly shapes: ResponseVersion
    readonly permission: number | null
    readonly member_vault_id: number | null
    /** 1 where the membership rests. */
    readonly rests: number
  }

export interface AuthenticatorDependencies extends LivenessDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'sessionTokenSuccessor'>
  readonly clock: Clock
  readonly rules: RotationRules
}

/** Authenticates clients by one SELECT over session, user, application key, membership and the resource of the path. */
export function createAuthenticator(dependencies: AuthenticatorDependencies): Authenticator {
  const { store, clock } = dependencies
  const checkLiveness = createLivenessCheck(dependencies)
  const nextToken = createTokenRotation(dependencies)
  const statementOf = createStatements()

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
      const token = await nextToken(row, { token: request.token, hash }, now)
      return { ...authenticationOf(row, request), token }
    },

    reauthorize,
  }
}

async function reauthorize(reader: Reader, authentication: Authentication): Promise<Authentication> {
  const { caller, vault } = authentication
  const standing = await standingOf(reader, caller.sessionId, vault?.id ?? null)
  if (standing === undefined || !mayLogIn(standing.capabilities)) throw new Fault('session.invalid')
  return {
    ...authentication,
    caller: { ...caller, capabilities: standing.capabilities },
    ...accessTo(vault?.id ?? null, standing),
  }
}

/** What the caller may do in a vault: nothing while the membership rests. */
function accessTo(
  vaultId: number | null,
  { permission: bit, rests: isResting }: { readonly permission: number | null; readonly rests: number },
): Pick<Authentication, 'vault' | 'restingIn'> {
  const permission = bit === null ? undefined : permissionFromBit(bit)
  if (permission === undefined || vaultId === null) return { vault: undefined, restingIn: undefined }
  if (isResting === 1) return { vault: undefined, restingIn: vaultId }
  return { vault: { id: vaultId, permission }, restingIn: undefined }
}

function authenticationOf(row: SessionRow, request: AuthenticationRequest): Omit<Authentication, 'token'> {
  const { vault, restingIn } = accessTo(row.member_vault_id, row)
  return {
    caller: {
      userId: row.user_id,
      username: row.username,
      capabilities: row.capabilities,
      sessionId: row.session_id,
      applicationKeyId: row.application_key_id,
      responseVersion: row.shapes,
    },
    vault,
    restingIn,
    // A caller who is no member must not learn even that the resource exists.
    resource: vault && request.resource?.query.read(row),
  }
}

/** Builds each of the few statements once. */
function createStatements(): (query: ResourceQuery<unknown> | undefined) => string {
  const built = new Map<ResourceQuery<unknown> | undefined, string>()
  return (query) => {
    const known = built.get(query)
    if (known !== undefined) return known
    const statement = `
      SELECT s.id AS session_id, s.created_at, s.last_seen_at, s.ended_at, s.certificate,
        t.issued_at, t.superseded_at, t.uses, u.id AS user_id, u.username, u.capabilities,
        a.id AS application_key_id, a.revoked_at, a.shapes, m.permission, m.vault_id AS member_vault_id,
        CASE WHEN ${rests('u', 'm')} THEN 1 ELSE 0 END AS rests
        ${query ? `, ${query.columns}` : ''}
      FROM session_tokens t
      JOIN sessions s ON s.id = t.session_id
      JOIN users u ON u.id = s.user_id
      JOIN application_keys a ON a.id = s.application_key_id
      ${joins(query)}
      WHERE t.hash = $1`
    built.set(query, statement)
    return statement
  }
}

/** The membership and the resource: the one that leads to the other comes first. */
function joins(query: ResourceQuery<unknown> | undefined): string {
  const membership = 'LEFT JOIN vault_members m ON m.user_id = u.id AND m.vault_id ='
  if (query?.vaultOf) return `${query.join('', '$2')} ${membership} ${query.vaultOf.vault}`
  return `${membership} $2 ${query ? query.join('m.vault_id', '$3') : ''}`
}
