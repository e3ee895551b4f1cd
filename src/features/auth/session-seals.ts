import type { SealedGrant } from '../../access/acting.ts'
import { sessionTokenHash } from '../../access/session-token-form.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Reader } from '../../store/store.ts'
import { findUserById, type User } from '../users/records.ts'
import { findApplicationKeyById, type ApplicationKey } from './login-records.ts'
import { findSessionById, findToken, type Session } from './session-records.ts'

/** What a seal covers of a session, beside the users and applications that it is of. */
type SealedColumns = Pick<Session, 'identity' | 'recoveries' | 'certificate' | 'credential' | 'createdAt' | 'expiresAt'>

export interface SessionOwner {
  readonly user: Pick<User, 'identity'>
  /** Undefined for a service account. */
  readonly applicationKey: Pick<ApplicationKey, 'identity'> | undefined
}

/** Each token of a session has a record of its own: whoever shows the token shows this. */
function sessionRecord(session: SealedColumns, { user, applicationKey }: SessionOwner, tokenHash: string): Buffer {
  const { credential } = session
  if (applicationKey === undefined)
    return composeRecord('service session', {
      ...session,
      credential: credential ?? '',
      account: user.identity,
      tokenHash,
    })
  return composeRecord('session', {
    ...session,
    user: user.identity,
    applicationKey: applicationKey.identity,
    tokenHash,
  })
}

/** A session of a user that the keeper began, and that is in no row yet. `user`: as the keeper was shown. */
export function sealedBegun(
  { begun, user, certificate }: { readonly begun: BegunSession; readonly user: User } & Pick<Session, 'certificate'>,
  applicationKey: ApplicationKey,
): SealedRecord {
  const { token, seal, ...times } = begun
  const columns = { ...times, recoveries: user.recoveries, certificate, credential: null }
  return { record: sessionRecord(columns, { user, applicationKey }, sessionTokenHash(token)), seal }
}

/** A session by one of its tokens, with everybody whom its record names. */
export interface FoundToken {
  readonly session: Session
  readonly user: User
  /** Undefined for a service account. */
  readonly applicationKey: ApplicationKey | undefined
  readonly sealed: SealedRecord
}

/** Undefined where there is no such token. */
export async function findSealedSession(reader: Reader, tokenHash: string): Promise<FoundToken | undefined> {
  const token = await findToken(reader, tokenHash)
  const session = token && (await findSessionById(reader, token.sessionId))
  const user = session && (await findUserById(reader, session.userId))
  if (!token || !session || !user) return undefined
  const { applicationKeyId } = session
  const applicationKey =
    applicationKeyId === null ? undefined : ((await findApplicationKeyById(reader, applicationKeyId)) ?? undefined)
  if (applicationKeyId !== null && applicationKey === undefined) return undefined
  const record = sessionRecord(session, { user, applicationKey }, tokenHash)
  return { session, user, applicationKey, sealed: { record, seal: token.seal } }
}

/** The seal of the token that takes the place of one of a session. `grant`: of that session, for which the token was shown. */
export async function sealNextToken(
  hsm: Pick<Hsm, 'seal'>,
  { session, user, applicationKey, sealed }: FoundToken,
  nextHash: string,
  grant: SealedGrant,
): Promise<Buffer> {
  return hsm.seal(sessionRecord(session, { user, applicationKey }, nextHash), sealed, undefined, grant)
}
