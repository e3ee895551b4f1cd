import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Reader } from '../../store/store.ts'
import { findUserById, type User } from '../users/records.ts'
import { findApplicationKeyById, type ApplicationKey } from './login-records.ts'
import { findSessionById, findToken, type Session } from './session-records.ts'

/** What a seal covers of a session, beside the users and applications that it is of. */
type SealedColumns = Pick<Session, 'identity' | 'recoveries' | 'certificate' | 'createdAt' | 'expiresAt'>

export interface SessionOwner {
  readonly user: Pick<User, 'identity'>
  readonly applicationKey: Pick<ApplicationKey, 'identity'>
}

/** Each token of a session has a record of its own: whoever shows the token shows this. */
function sessionRecord(session: SealedColumns, { user, applicationKey }: SessionOwner, tokenHash: string): Buffer {
  return composeRecord('session', {
    ...session,
    user: user.identity,
    applicationKey: applicationKey.identity,
    tokenHash,
  })
}

/** A session by one of its tokens, with everybody whom its record names. */
export interface FoundToken {
  readonly session: Session
  readonly user: User
  readonly applicationKey: ApplicationKey
  readonly sealed: SealedRecord
}

/** Undefined where there is no such token. */
export async function findSealedSession(reader: Reader, tokenHash: string): Promise<FoundToken | undefined> {
  const token = await findToken(reader, tokenHash)
  const session = token && (await findSessionById(reader, token.sessionId))
  const user = session && (await findUserById(reader, session.userId))
  const applicationKey = session && (await findApplicationKeyById(reader, session.applicationKeyId))
  if (!token || !session || !user || !applicationKey) return undefined
  const record = sessionRecord(session, { user, applicationKey }, tokenHash)
  return { session, user, applicationKey, sealed: { record, seal: token.seal } }
}

/** The seal of the token that takes the place of one of a session. */
export async function sealNextToken(
  hsm: Pick<Hsm, 'seal'>,
  { session, user, applicationKey, sealed }: FoundToken,
  nextHash: string,
): Promise<Buffer> {
  return hsm.seal(sessionRecord(session, { user, applicationKey }, nextHash), sealed)
}
