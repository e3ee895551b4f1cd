import { networkOf } from '../../access/network.ts'
import { isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunSession } from '../../hsm/login-request.ts'
import { hasFactor } from '../../hsm/user-factors.ts'
import type { Otps } from '../otp/otp.ts'
import type { Store } from '../../store/store.ts'
import type { LoginOrigin } from '../users/login-queue.ts'
import type { Passphrases } from '../users/passphrase.ts'
import { passphraseRecordOf } from '../users/passphrase-records.ts'
import { findByUsername, isPerson, type User } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { type ApplicationKeys, sealedApplicationKey } from './application-key.ts'
import type { ApplicationKey } from './login-records.ts'
import type { SecondFactor } from './credentials.ts'
import type { CheckedFactor, CheckFactor } from './factor-check.ts'
import { shownFactor } from './shown-factor.ts'
import type { Throttle } from './throttle.ts'

/** What a client sends to be authenticated as a user. */
export type Claim = SecondFactor & {
  readonly username: string
  readonly passphrase: string
  readonly address: string
}

/** The user as the database had it when the check began: the caller checks again what may have changed since. */
export interface VerifiedCredentials extends Pick<
  CheckedFactor,
  'warnings' | 'card' | 'passkey' | 'isStillHeld' | 'forgive'
> {
  readonly user: User
}

export interface CredentialCheck {
  /** By what a claim has its turn in `loginQueue`. */
  originOf(claim: Pick<Claim, 'username' | 'address'>): LoginOrigin
  /**
   * Checks second factor and pass phrase, always both, with the same work for an unknown user; undefined when either
   * was wrong. The OTP is used up even then, and the attempt counts as failed until it is forgiven. Within
   * `loginQueue.run` only.
   * @throws Fault `login.throttled`
   */
  verifyCredentials(claim: Claim): Promise<VerifiedCredentials | undefined>
  /** The same for a login with this application key: the keeper checks all of it once more, and begins the session. */
  beginSession(claim: Claim, application: ShownApplication): Promise<LoginBegun | undefined>
}

/** The text of an application key, and the key of that text where there is one. */
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
  /** A service account is no user here: applications log in by `service-login.ts`. */
  async function findPerson(name: string): Promise<User | undefined> {
    const user = await findByUsername(store.read, name)
    return user !== null && isPerson(user) ? user : undefined
  }

  async function examine(claim: Claim) {
    const name = loginNameOf(claim.username)
    const user = await findPerson(name)
    const attempt = { name, userId: user?.id, address: claim.address }
    const factor = await checkFactor(attempt, claim)
    // A row that was put back is of a factor that the user does not name any more.
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
      // The caller has the keeper use an assertion up, by the session that it was made in.
      const isFirst = !('otp' in claim) || (await otps.useUp(factor?.otp))
      // Wrong pass phrases without the factor do not use up how often the user's may be tried.
      const record = user && factor && isFirst ? passphraseRecordOf(user) : undefined
      const isRight = await passphrases.check(claim.passphrase, record)
      if (!user || !factor || !isFirst || !isRight) return undefined
      return { ...factor, user }
    },

    async beginSession(claim, { text, key }) {
      const { name, factor, user: found } = await examine(claim)
      const decide = async (user: User | undefined, applicationKey: ApplicationKey | undefined) => {
        const hash = await passphrases.hash(claim.passphrase, user && passphraseRecordOf(user))
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
        // Another login may have changed the row of the user since it was read, and the operator that of the key.
        return await decide(found, key).catch(async (error: unknown) => {
          if (!isFault(error, 'hsm.outdated')) throw error
          return decide(await findPerson(name), await applicationKeys.find(text))
        })
      } catch (error) {
        if (isFault(error, 'login.refused')) return undefined
        throw error
      }
    },
  }
}

/** Longest name that differs from others; those of users have 32 characters. */
const longestName = 128

/**
 * The name under which an attempt is looked up and counted: one spelling for all that could mean the same user. An
 * attacker would evade a limit on the raw text by a blank, a capital or a full-width letter.
 */
export function loginNameOf(typed: string): string {
  return typed.normalize('NFKC').trim().toLowerCase().slice(0, longestName)
}
