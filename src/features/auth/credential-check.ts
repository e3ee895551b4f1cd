import { networkOf } from '../../access/network.ts'
import { isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { hasFactor } from '../../hsm/user-factors.ts'
import type { Otps } from '../otp/otp.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Store } from '../../store/store.ts'
import type { LoginOrigin } from '../users/login-queue.ts'
import type { PassphraseRecord, Passphrases } from '../users/passphrase.ts'
import { passphraseRecordOf } from '../users/passphrase-records.ts'
import { findByUsername, isPerson, type User } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { type ApplicationKeys, sealedApplicationKey } from './application-key.ts'
import type { ApplicationKey } from './application-key-records.ts'
import type { SecondFactor } from './credentials.ts'
import type { CheckedFactor, CheckFactor } from './factor-check.ts'
import { shownFactor } from './shown-factor.ts'
import type { Throttle } from './throttle.ts'

/** Credentials that a client sends to log in as a user. */
export type Claim = SecondFactor & {
  readonly username: string
  readonly passphrase: string
  readonly address: string
}

/** The user as read when the check began. The caller must check again what may have changed since. */
export interface VerifiedCredentials extends Pick<
  CheckedFactor,
  'warnings' | 'card' | 'passkey' | 'isStillHeld' | 'forgive'
> {
  readonly user: User
}

export interface CredentialCheck {
  /** The sender of a claim, by which `loginQueue` orders the waiting logins. */
  originOf(claim: Pick<Claim, 'username' | 'address'>): LoginOrigin
  /**
   * Checks second factor and pass phrase, always both, and does the same work for an unknown user. Undefined when
   * either was wrong: the OTP is used up all the same, and the attempt counts as failed until it is forgiven. Must run
   * within `loginQueue.run`.
   * @throws Fault `login.throttled`
   */
  verifyCredentials(claim: Claim): Promise<VerifiedCredentials | undefined>
  /** The same for a login with an application key. The keeper checks all credentials again and begins the session. */
  beginSession(claim: Claim, application: ShownApplication): Promise<LoginBegun | undefined>
}

/** The text that a client sent as its application key, and the key it belongs to, if any. */
export interface ShownApplication {
  readonly text: string
  readonly key: ApplicationKey | undefined
}

export interface LoginBegun extends VerifiedCredentials {
  readonly begun: BegunSession
}

export function createCredentialCheck({
  hsm,
  store,
  applicationKeys,
  passphrases,
  otps,
  throttle,
  checkFactor,
}: {
  readonly hsm: Pick<Hsm, 'login'>
  readonly store: Store
  readonly applicationKeys: Pick<ApplicationKeys, 'find'>
  readonly passphrases: Pick<Passphrases, 'check' | 'hash'>
  readonly otps: Otps
  readonly throttle: Throttle
  readonly checkFactor: CheckFactor
}): CredentialCheck {
  /** Finds a person. Service accounts log in by `service-login.ts`. */
  async function findPerson(name: string): Promise<User | undefined> {
    const user = await findByUsername(store.read, name)
    return user !== null && isPerson(user) ? user : undefined
  }

  async function examine(claim: Claim) {
    const name = loginNameOf(claim.username)
    const user = await findPerson(name)
    const attempt = { name, userId: user?.id, address: claim.address }
    const factor = await checkFactor(attempt, claim)
    // The factor counts only if the user's sealed record names it: the row of a removed factor may have been put back.
    const isTheirs = user !== undefined && factor !== undefined && hasFactor(user.factors, factor.sealed.record)
    return { name, user, factor: isTheirs ? factor : undefined }
  }

  return {
    originOf({ username, address }) {
      const network = networkOf(address)
      return { network, name: loginNameOf(username), isFamiliar: () => throttle.isFamiliar(store.read, network) }
    },

    async verifyCredentials(claim) {
      const { user, factor } = await examine(claim)
      // A passkey assertion is not used up here: the caller has the keeper use it up.
      const isFirst = !('otp' in claim) || (await otps.useUp(factor?.otp))
      // Without the second factor the keeper is not asked about the pass phrase, so that an attacker cannot use up the
      // tries that it allows for the user.
      const record = user && factor && isFirst ? passphraseRecordOf(user) : undefined
      const isRight = await passphrases.check(claim.passphrase, record)
      if (!user || !factor || !isFirst || !isRight) return undefined
      return { ...factor, user }
    },

    async beginSession(claim, { text, key }) {
      const { name, factor, user: found } = await examine(claim)
      const hashOf = createHashOnce(passphrases, claim.passphrase)
      const decide = async (user: User | undefined, applicationKey: ApplicationKey | undefined) => {
        const hash = await hashOf(user && passphraseRecordOf(user))
        const begun = await hsm.login({
          applicationKey: applicationKey && sealedApplicationKey(applicationKey),
          applicationKeyText: Buffer.from(text),
          user: user && sealedUser(user),
          hash,
          factor: shownFactor(factor, claim),
        })
        return user && factor && { ...factor, user, begun }
      }
      try {
        return await retryOvertaken(async (isAgain) =>
          isAgain ? decide(await findPerson(name), await applicationKeys.find(text)) : decide(found, key),
        )
      } catch (error) {
        if (isFault(error, 'login.refused')) return undefined
        throw error
      }
    },
  }
}

/**
 * Hashes the pass phrase of one login, once for each salt and cost: a hash takes so long that steady changes of the user
 * would overtake every try of the login.
 */
function createHashOnce(passphrases: Pick<Passphrases, 'hash'>, passphrase: string) {
  const hashes = new Map<string, Buffer>()
  return async (record: PassphraseRecord | undefined): Promise<Buffer> => {
    const name = record === undefined ? '' : `${record.cost} ${record.salt.toString('hex')}`
    const hash = hashes.get(name) ?? (await passphrases.hash(passphrase, record))
    hashes.set(name, hash)
    return hash
  }
}

/** Names are cut here before they are counted, in characters; user names have 32 at most. */
const longestName = 128

/**
 * The form of a name under which an attempt is looked up and counted. All spellings of one name give the same form;
 * otherwise an attacker could evade a limit with a blank, a capital or a full-width letter.
 */
export function loginNameOf(typed: string): string {
  return typed.normalize('NFKC').trim().toLowerCase().slice(0, longestName)
}
