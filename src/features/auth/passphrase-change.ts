import { capabilitiesOf } from '../../access/capabilities.ts'
import type { Caller } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { commitGoodAttempt, forgiveGoodAttempt } from './good-attempt.ts'
import { freshGrant } from './own-factors.ts'
import type { Sessions } from './sessions.ts'
import { onceShown } from './shown-factor.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { Passphrases } from '../users/passphrase.ts'
import { passphraseColumns } from '../users/passphrase-records.ts'
import { lockedUser, personById } from '../users/records.ts'
import type { Recoveries } from '../users/recovery.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { changeUser } from '../users/user-seals.ts'
import type { SecondFactor } from './credentials.ts'
import type { CredentialCheck } from './credential-check.ts'

export type OwnChange = SecondFactor & {
  readonly passphrase: string
  readonly newPassphrase: string
  readonly address: string
}

/** The result of a change of pass phrase. */
export interface PassphraseChanged {
  readonly capabilities: number
  /** Number of sessions that it ended. */
  readonly ended: number
}

export interface PassphraseChanges {
  /**
   * A change by the user, with the present pass phrase and a fresh second factor, throttled like a login. Ends the
   * user's other sessions and withdraws an administrator's request for the change.
   * @throws Fault `passphrase.refused`, `login.refused`, `login.throttled`, `login.busy`, `login.type_disabled`
   */
  changeOwn(caller: Caller, change: OwnChange, commit: Commit): Promise<PassphraseChanged>
  /**
   * A change by an administrator for another user, who must change it again at the next login. Ends all sessions of the
   * user and puts the user's memberships on hold: see `Recoveries`.
   * @throws Fault `user.not_found`, `passphrase.refused`, `login.busy`
   */
  reset(userId: number, newPassphrase: string, by: number, commit: Commit): Promise<PassphraseChanged>
}

const asked = capabilitiesOf(['changePassphrase'])

export function createPassphraseChanges({
  store,
  hsm,
  credentialCheck,
  passphrases,
  sessions,
  recoveries,
  clock,
}: {
  readonly store: Store
  readonly hsm: Sealer & Pick<Hsm, 'freshGrant'>
  readonly credentialCheck: CredentialCheck
  readonly passphrases: Passphrases
  readonly sessions: Sessions
  readonly recoveries: Recoveries
  readonly clock: Clock
}): PassphraseChanges {
  return {
    async changeOwn({ userId, username, sessionId }, { newPassphrase, ...present }, commit) {
      // Judged before the OTP is used up, so that a client whose new pass phrase is refused can send the same OTP
      // again.
      passphrases.judge(newPassphrase, username)
      if (isSame(newPassphrase, present.passphrase)) throw new Fault('passphrase.refused', sameRefusal)
      const verify = () => credentialCheck.verifyCredentials({ ...present, username })
      const from = credentialCheck.originOf({ ...present, username })
      const verified = await passphrases.loginQueue.run(verify, from)
      if (verified?.user.id !== userId) throw new Fault('login.refused', credentialRefusal)
      const columns = passphraseColumns(await passphrases.create(newPassphrase, username), clock.now(), null)
      const work = async (tx: Tx): Promise<PassphraseChanged> => {
        const isUnchanged = await forgiveGoodAttempt(tx, verified)
        if (!isUnchanged || !(await verified.isStillHeld(tx))) throw new Fault('login.refused', credentialRefusal)
        const current = await lockedUser(tx, userId)
        if (present.otpKind === 'webauthn') await freshGrant(hsm, tx, current, onceShown(verified, present))
        const capabilities = current.capabilities & ~asked
        await changeUser(hsm, tx, current, { ...columns, capabilities, madeBy: null })
        return { capabilities, ended: await sessions.endOthers(tx, userId, sessionId) }
      }
      return commitGoodAttempt(store, verified, () => commit(work))
    },

    async reset(userId, newPassphrase, by, commit) {
      const user = await personById(store.read, userId)
      const columns = passphraseColumns(await passphrases.create(newPassphrase, user.username), clock.now(), by)
      return commit(async (tx) => {
        const capabilities = (await lockedUser(tx, user.id)).capabilities | asked
        const ended = await sessions.endOthers(tx, user.id)
        await recoveries.note(tx, user.id, by, () => ({ ...columns, capabilities }))
        return { capabilities, ended }
      })
    },
  }
}

const sameRefusal = 'The new pass phrase must be another than the present one.'
const credentialRefusal = 'The present pass phrase or the second factor is wrong: nothing was changed.'

const isSame = (one: string, other: string): boolean => one.normalize('NFC') === other.normalize('NFC')
