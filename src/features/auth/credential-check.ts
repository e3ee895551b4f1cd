import type { Clock } from '../../clock.ts'
import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { Passphrases } from '../users/passphrase.ts'
import { countFailedLogin, passphraseRecordOf } from '../users/passphrase-records.ts'
import { findByUsername, type User } from '../users/records.ts'
import type { Sentences } from './login-advice.ts'
import { hardwareOtpLength, type SecondFactor } from './credentials.ts'
import type { Attempt, Throttle } from './throttle.ts'

/** What a client sends to be authenticated as a user. */
export type Claim = SecondFactor & {
  readonly username: string
  readonly passphrase: string
  readonly address: string
}

/** A second factor that is the user's. */
interface CheckedFactor extends Pick<VerifiedCredentials, 'warnings' | 'certificate' | 'isStillHeld'> {
  /** True for exactly one of any number of uses of an OTP. */
  readonly consume: (tx: Tx) => Promise<boolean>
  /** The OTP, which the keeper is to use up. */
  readonly otp?: ExaminedOtp
}

/** The user as the database had it when the check began: the caller checks again what may have changed since. */
export interface VerifiedCredentials {
  readonly user: User
  readonly attempt: Attempt
  /** About the second factor. */
  readonly warnings: Sentences
  /** Fingerprint of the smartcard, if that was the second factor. */
  readonly certificate?: string
  /** Whether the user has the second factor still, once the row of the user is locked. */
  readonly isStillHeld: (tx: Tx) => Promise<boolean>
}

export interface CredentialCheck {
  /**
   * Checks second factor and pass phrase, always both, with the same work for an unknown user; undefined when either
   * was wrong. The OTP is used up even then, and the attempt counts as failed until it is forgiven. Within
   * `loginQueue.run` only.
   * @throws Fault `login.throttled`
   */
  verifyCredentials(claim: Claim): Promise<VerifiedCredentials | undefined>
}

export function createCredentialCheck({
  store,
  passphrases,
  otps,
  throttle,
  clock,
}: {
  readonly store: Store
  readonly passphrases: Pick<Passphrases, 'check'>
  readonly otps: Otps
  readonly throttle: Throttle
  readonly clock: Clock
}): CredentialCheck {
  // Other calls can only be refused because of it.
  const transaction = <T>(work: (tx: Tx) => Promise<T>) => store.transaction(work, { syncAside: true })

  async function checkFactor(userId: number | undefined, claim: SecondFactor): Promise<CheckedFactor | undefined> {
    if (claim.otpKind === 'smartcard') {
      const { card } = claim
      if (card === undefined || card.userId !== userId) return undefined
      const { fingerprint: certificate, warnings, isStillHeld } = card
      return { warnings, certificate, consume: yes, isStillHeld }
    }
    const otp = await otps.examine(store.read, userId, claim.otpKind, claim.otp)
    return otp && { otp, warnings: otp.warnings, consume: (tx) => otps.consume(tx, otp), isStillHeld: yes }
  }

  async function count(tx: Tx, attempt: Attempt, isHolder: boolean): Promise<void> {
    await throttle.count(tx, attempt, isHolder)
    await countFailedLogin(tx, attempt.userId ?? -1, clock.now())
  }

  /**
   * Checks the factor, uses it up in the database and counts the attempt: every refusal costs the same, and none is lost.
   * Codes that can be guessed are counted first, so that a throttled guess does not reach the keeper; a hardware token's
   * OTP is counted with its use, apart from the failures of those who have none.
   */
  async function checkAndCount(attempt: Attempt, claim: SecondFactor): Promise<CheckedFactor | undefined> {
    const isGuessable = claim.otpKind !== 'smartcard' && claim.otp.length < hardwareOtpLength
    if (isGuessable) await transaction((tx) => count(tx, attempt, false))
    const factor = await checkFactor(attempt.userId, claim)
    return transaction(async (tx) => {
      const isFresh = factor !== undefined && (await factor.consume(tx))
      if (!isGuessable) await count(tx, attempt, isFresh)
      return isFresh ? factor : undefined
    })
  }

  return {
    async verifyCredentials({ username, passphrase, address, ...secondFactor }) {
      const name = loginNameOf(username)
      const user = (await findByUsername(store.read, name)) ?? undefined
      const attempt = { name, userId: user?.id, address }
      const factor = await checkAndCount(attempt, secondFactor)
      const [isFirst, isRight] = await Promise.all([
        secondFactor.otpKind === 'smartcard' || otps.useUp(factor?.otp),
        passphrases.check(passphrase, user && passphraseRecordOf(user)),
      ])
      if (!user || !factor || !isFirst || !isRight) return undefined
      return { ...factor, user, attempt }
    },
  }
}

/** Longest name that differs from others; those of users have 32 characters. */
const longestName = 128

/**
 * The name under which an attempt is looked up and counted: one spelling for all that could mean the same user. An
 * attacker would evade a limit on the raw text by a blank, a capital or a full-width letter.
 */
function loginNameOf(typed: string): string {
  return typed.normalize('NFKC').trim().toLowerCase().slice(0, longestName)
}

const yes = (): Promise<boolean> => Promise.resolve(true)
