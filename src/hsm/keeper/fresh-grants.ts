import { mayLogIn } from '../../access/capabilities.ts'
import { longestGrantMs } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import type { KeeperOperation } from '../protocol/frame.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import { challengeRecord } from '../passkey-challenge.ts'
import { composeRecord } from '../record-layouts.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { type AuthorityDependencies, readAuthority } from './authority.ts'
import type { Floors } from './floors.ts'
import { type OnceJudges, usesUp } from './logins.ts'
import { onceIn } from './otp-fields.ts'
import { newestShown } from './shown-record.ts'

export interface FreshGrantDependencies extends OnceJudges, AuthorityDependencies {
  readonly floors: Floors
  readonly now: () => number
}

/**
 * A session alone changes no factor of its user: who stole it would stay. The user shows a second factor once more, which
 * is used up here, and the record of this generation may be changed, so that one factor serves one change.
 */
export function createFreshGrantHandlers(on: FreshGrantDependencies) {
  const { token, floors, now } = on
  return {
    freshGrant(fields) {
      const { grant, fresh } = readAuthority(on, fields)
      const user = newestShown(token, floors, 'user', fields.sealed()).fields
      const factor = onceIn(fields)
      if (grant === undefined || fresh !== undefined || !grant.user.equals(user.identity))
        throw new Fault('hsm.rejected', 'A fresh grant needs the grant of a session of this user.')
      const isRight = usesUp(on, user, factor, grant.session)
      if (!isRight || !mayLogIn(user.capabilities)) throw new Fault('login.refused')
      const { session, userId, capabilities } = grant
      const expiresAt = Math.min(grant.expiresAt, now() + longestGrantMs)
      const { identity, generation } = user
      const record = composeRecord('fresh grant', {
        session,
        user: identity,
        userId,
        capabilities,
        generation,
        expiresAt,
      })
      return [record, seal(token, record)]
    },

    passkeyChallenge(fields) {
      const sealed = readAuthority(on, fields)
      const issuedAt = now()
      const record = challengeRecord(sealed.grant?.session, issuedAt)
      return [Buffer.from(String(issuedAt)), seal(token, record)]
    },
  } satisfies Partial<Record<KeeperOperation, (fields: RequestFields) => Uint8Array[]>>
}
