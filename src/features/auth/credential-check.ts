import type { Clock } from '../../clock.ts'
import type { Otps } from '../otp/otp.ts'
import type { Store, Tx } from '../../store/store.ts'
import type { Passphrases } from '../users/passphrase.ts'
import { countFailedLogin, passphraseRecordOf } from '../users/passphrase-records.ts'
import { findByUsername, type User } from '../users/records.ts'
import type { Sentences } from './login-advice.ts'
import { hardwareOtpLength, type SecondFactor } from './credentials.ts'
import { loginNameOf } from './login-name.ts'
import type { Attempt, Throttle } from './throttle.ts'

/** What somebody shows to be a user. */
export type Claim = SecondFactor & {
  readonly username: string
  readonly passphrase: string
  readonly address: string
}

/** A second factor that is the user's. */
interface ShownFactor extends Pick<Proof, 'warnings' | 'certificate' | 'isStillHeld'> {
  /** Whether it could have been guessed. */
  readonly isGuessable: boolean
  /** True for exactly one of any number of uses of what is good once. */
  readonly useUp: (tx: Tx) => Promise<boolean>
}

/** Who that is, as the database said when it began: what may have changed since is looked at again by who uses it. */
export interface Proof {
  readonly user: User
  readonly attempt: Attempt
  /** About the second factor. */
  readonly warnings: Sentences
  /** Fingerprint of the smartcard, if that is what was shown. */
  readonly certificate?: string
  /** Whether the user has the second factor still, once the row of the user is locked. */
  readonly isStillHeld: (tx: Tx) => Promise<boolean>
}

export interface Proofs {
  /**
   * Checks second factor and pass phrase, always both, with the same work for a user who does not exist; undefined when
   * either was wrong. The OTP is used up even then, and the attempt counts as failed until it is forgiven. Within `Passphrases.inTurn` only.
   * @throws Fault `login.throttled`
   */
  prove(claim: Claim): Promise<Proof | undefined>
}

export interface ProofDependencies {
  readonly store: Store
  readonly passphrases: Passphrases
  readonly otps: Otps
  readonly throttle: Throttle
  readonly clock: Clock
}

export function createProofs({ store, passphrases, otps, throttle, clock }: ProofDependencies): Proofs {
  async function examine(userId: number | undefined, claim: SecondFactor): Promise<ShownFactor | undefined> {
    if (claim.otpKind === 'smartcard') {
      const { card } = claim
      if (card === undefined || card.userId !== userId) return undefined
      const { fingerprint: certificate, warnings, isStillHeld } = card
      return { isGuessable: false, warnings, certificate, useUp: yes, isStillHeld }
    }
    const { otp, otpKind } = claim
    const examined = await otps.examine(store.read, userId, otpKind, otp)
    if (examined === undefined) return undefined
    const isGuessable = otp.length < hardwareOtpLength
    return { isGuessable, warnings: examined.warnings, useUp: (tx) => otps.consume(tx, examined), isStillHeld: yes }
  }

  /** One transaction uses up the OTP and counts the attempt: every refusal costs the same, and none is forgotten. */
  function useUp(attempt: Attempt, shown: ShownFactor | undefined): Promise<boolean> {
    const work = async (tx: Tx): Promise<boolean> => {
      const isFresh = shown !== undefined && (await shown.useUp(tx))
      await throttle.count(tx, attempt, isFresh && !shown.isGuessable)
      await countFailedLogin(tx, attempt.userId ?? -1, clock.now())
      return isFresh
    }
    // Others refuse by it, no more.
    return store.transaction(work, { syncAside: true })
  }

  return {
    async prove({ username, passphrase, address, ...factor }) {
      const name = loginNameOf(username)
      const user = (await findByUsername(store.read, name)) ?? undefined
      const attempt = { name, userId: user?.id, address }
      const shown = await examine(user?.id, factor)
      const isFresh = await useUp(attempt, shown)
      const isRight = await passphrases.check(passphrase, user && passphraseRecordOf(user))
      if (!user || !shown || !isFresh || !isRight) return undefined
      return { ...shown, user, attempt }
    },
  }
}

const yes = (): Promise<boolean> => Promise.resolve(true)
