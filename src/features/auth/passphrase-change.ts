import { capabilitiesOf } from '../../access/capabilities.ts'
import type { Caller } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Sessions } from './sessions.ts'
import type { Commit, Store } from '../../store/store.ts'
import type { Passphrases } from '../users/passphrase.ts'
import { forgiveFailedLogins, passphraseColumns, replacePassphrase } from '../users/passphrase-records.ts'
import { findUserById } from '../users/records.ts'
import type { SecondFactor } from './credentials.ts'
import { networkOf } from './network.ts'
import type { Proofs } from './credential-check.ts'
import type { Throttle } from './throttle.ts'

export type OwnChange = SecondFactor & {
  readonly passphrase: string
  readonly newPassphrase: string
  readonly address: string
}

/** What became of a change. */
export interface PassphraseChanged {
  readonly capabilities: number
  /** Sessions that it ended. */
  readonly ended: number
}

export interface PassphraseChanges {
  /**
   * For oneself, with the present pass phrase and a fresh second factor, guarded like a login. Ends the user's other
   * sessions, and takes the request to change it away.
   * @throws Fault `passphrase.refused`, `login.refused`, `login.throttled`, `login.busy`
   */
  changeOwn(caller: Caller, change: OwnChange, commit: Commit): Promise<PassphraseChanged>
  /**
   * By an administrator, for somebody else, who is asked to change it at the next login. Ends all sessions of the user.
   * @throws Fault `user.not_found`, `passphrase.refused`, `login.busy`
   */
  reset(userId: number | undefined, newPassphrase: string, commit: Commit): Promise<PassphraseChanged>
}

export interface PassphraseChangeDependencies {
  readonly store: Store
  readonly proofs: Proofs
  readonly passphrases: Passphrases
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly clock: Clock
}

const asked = capabilitiesOf(['changePassphrase'])

export function createPassphraseChanges(dependencies: PassphraseChangeDependencies): PassphraseChanges {
  const { store, proofs, passphrases, sessions, throttle, clock } = dependencies

  return {
    async changeOwn({ userId, username, sessionId }, { newPassphrase, ...shown }, commit) {
      // Before the OTP is used up: whoever is told to take a better one can send the same again.
      passphrases.judge(newPassphrase, username)
      if (isSame(newPassphrase, shown.passphrase)) throw new Fault('passphrase.refused', sameRefusal)
      const proof = await passphrases.inTurn(() => proofs.prove({ ...shown, username }), networkOf(shown.address))
      if (proof?.user.id !== userId) throw new Fault('login.refused', proofRefusal)
      const columns = passphraseColumns(await passphrases.create(newPassphrase, username), clock.now())
      return commit(async (tx) => {
        await throttle.forgive(tx, proof.attempt)
        // Only this try is taken back: of earlier ones the next login tells.
        const isUnchanged = await forgiveFailedLogins(tx, { ...proof.user, failedLogins: 0 })
        if (!isUnchanged || !(await proof.isStillHeld(tx))) throw new Fault('login.refused', proofRefusal)
        const capabilities = await replacePassphrase(tx, userId, columns, (current) => current & ~asked)
        return { capabilities, ended: await sessions.endOthers(tx, userId, sessionId) }
      })
    },

    async reset(userId, newPassphrase, commit) {
      const user = userId === undefined ? null : await findUserById(store.read, userId)
      if (user === null) throw new Fault('user.not_found')
      const columns = passphraseColumns(await passphrases.create(newPassphrase, user.username), clock.now())
      return commit(async (tx) => {
        const capabilities = await replacePassphrase(tx, user.id, columns, (current) => current | asked)
        return { capabilities, ended: await sessions.endOthers(tx, user.id) }
      })
    },
  }
}

const sameRefusal = 'The new pass phrase must be another than the present one.'
const proofRefusal = 'The present pass phrase or the second factor is wrong: nothing was changed.'

const isSame = (one: string, other: string): boolean => one.normalize('NFC') === other.normalize('NFC')
