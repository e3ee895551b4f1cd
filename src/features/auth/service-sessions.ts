import { sessionTokenHash } from '../../access/session-token-form.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunService } from '../../hsm/login-request.ts'
import type { Tx } from '../../store/store.ts'
import type { User } from '../users/records.ts'
import { createSessionEnding } from './session-ending.ts'
import type { SessionLimits } from './session-liveness.ts'
import { insertSession, openSessionsOf, serviceSessionsBeyond, sweepSessions } from './session-records.ts'

export interface NewServiceSession {
  /** The account as it was shown to the keeper. */
  readonly account: User
  readonly address: string
  readonly begun: BegunService
}

/** Sessions of service accounts. Replicas of an application share no state, so an account may have thousands. */
export interface ServiceSessions {
  /** Stores a session that the keeper began, and ends the oldest ones beyond the limit; resolves to its id. */
  open(tx: Tx, session: NewServiceSession): Promise<number>
  /** Ends the sessions begun by one credential of the account; resolves to how many there were. */
  endByCredential(tx: Tx, userId: number, credential: string): Promise<number>
}

export function createServiceSessions({
  hsm,
  clock,
  limits,
  perAccount,
}: {
  readonly hsm: Pick<Hsm, 'endSessions'>
  readonly clock: Clock
  readonly limits: Pick<SessionLimits, 'absoluteTimeoutMs'>
  /** Limit of open sessions per account. */
  readonly perAccount: number
}): ServiceSessions {
  const endSessions = createSessionEnding(hsm)
  return {
    async open(tx, { account, address, begun }) {
      const now = clock.now()
      await sweepSessions(tx, now - limits.absoluteTimeoutMs, now)
      const { token, seal, credential, createdAt, expiresAt, identity } = begun
      const { id: userId, recoveries } = account
      const times = { createdAt, expiresAt, lastSeenAt: now, endedAt: null }
      const none = { applicationKeyId: null, certificate: null }
      const row = { userId, recoveries, identity, address, credential, ...none, ...times }
      // Parallel logins do not wait for each other: they may exceed the limit by a few, which the next login ends.
      await endSessions(tx, await serviceSessionsBeyond(tx, userId, perAccount - 1), now)
      return insertSession(tx, row, { hash: sessionTokenHash(token), seal })
    },

    async endByCredential(tx, userId, credential) {
      const open = await openSessionsOf(tx, userId)
      const ids = open.filter((session) => session.credential === credential).map(({ id }) => id)
      return endSessions(tx, ids, clock.now())
    },
  }
}
