import { mayLogIn } from '../../access/capabilities.ts'
import { longestGrantMs } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import { numberField } from '../protocol/fields.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import { challengeRecord } from '../passkey-challenge.ts'
import { composeRecord } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import { type AuthorityDependencies, readAuthority } from './authority.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import { type OnceJudges, usesUp } from './logins.ts'
import { onceIn } from './otp-fields.ts'
import { isOfGrant } from './record-change.ts'
import { type NewestRecords, newestShown } from './shown-record.ts'

export interface FreshGrantDependencies extends OnceJudges, AuthorityDependencies, NewestRecords {
  readonly shownRights: AuthorityDependencies['shownRights'] & NewestRecords['shownRights']
  readonly now: () => number
}

/**
 * Gives fresh grants, by which users change their own factors. A session is not enough, since a thief of the session
 * could then stay. The user shows a second factor once more, which is used up here. A fresh grant names the user's
 * present record, so that it allows one change.
 */
export function createFreshGrantHandlers(on: FreshGrantDependencies) {
  const { token, now } = on
  return {
    freshGrant(fields) {
      const { grant, fresh } = readAuthority(on, fields)
      const sealed = fields.sealed()
      const user = newestShown(on, 'user', sealed).fields
      const factor = onceIn(fields)
      if (grant === undefined || fresh !== undefined || !isOfGrant(user, grant))
        throw new Fault('hsm.rejected', 'A fresh grant needs the grant of a session of this user.')
      const isRight = usesUp(on, user, factor, grant.session)
      if (!isRight || !mayLogIn(user.capabilities)) throw new Fault('login.refused')
      const { session, userId, capabilities } = grant
      const expiresAt = Math.min(grant.expiresAt, now() + longestGrantMs)
      const record = composeRecord('fresh grant', {
        session,
        user: user.identity,
        userId,
        capabilities,
        recoveries: user.recoveries,
        record: recordDigest(sealed.record),
        expiresAt,
      })
      return [record, seal(token, record)]
    },

    passkeyChallenge(fields) {
      const sealed = readAuthority(on, fields)
      const issuedAt = now()
      const record = challengeRecord(sealed.grant?.session, issuedAt)
      return [numberField(issuedAt), seal(token, record)]
    },
  } satisfies KeeperHandlers
}
