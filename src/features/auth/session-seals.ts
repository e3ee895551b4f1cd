import { sessionTokenHash } from '../../access/session-token-form.ts'
import type { SealedGrant } from '../../access/transaction-grant.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Reader } from '../../store/store.ts'
import { findUserById, type User } from '../users/records.ts'
import { findApplicationKeyById, type ApplicationKey } from './application-key-records.ts'
import { findSessionById, findToken, type Session } from './session-records.ts'

/** The columns of a session that its seal covers, besides the identities of user and application. */
type SealedColumns = Pick<Session, 'identity' | 'recoveries' | 'certificate' | 'credential' | 'createdAt' | 'expiresAt'>

export interface SessionOwner {
  readonly user: Pick<User, 'identity'>
  /** Undefined for a service account. */
  readonly applicationKey: Pick<ApplicationKey, 'identity'> | undefined
}

/** The record that is sealed: one for each token of a session, since a client shows a token and not a session. */
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

/** The sealed record of a session that the keeper began and that is in no row yet. `user` is as the keeper was shown. */
export function sealedBegun(
  { begun, user, certificate }: { readonly begun: BegunSession; readonly user: User } & Pick<Session, 'certificate'>,
  applicationKey: ApplicationKey,
): SealedRecord {
  const { token, seal, ...times } = begun
  const columns = { ...times, recoveries: user.recoveries, certificate, credential: null }
  return { record: sessionRecord(columns, { user, applicationKey }, sessionTokenHash(token)), seal }
}

/** A session found by one of its tokens, with the user and the application that its record names. */
export interface FoundToken {
  readonly session: Session
  readonly user: User
  /** Undefined for a service account. */
  readonly applicationKey: ApplicationKey | undefined
  readonly sealed: SealedRecord
}

/** Undefined where no session has this token. */
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

/** Seals the record of the token that replaces one of a session. `grant` is that of the session. */
export async function sealNextToken(
  hsm: Pick<Hsm, 'seal'>,
  { session, user, applicationKey, sealed }: FoundToken,
  nextHash: string,
  grant: SealedGrant,
): Promise<Buffer> {
  return hsm.seal(sessionRecord(session, { user, applicationKey }, nextHash), { previous: sealed, grant })
}
