import type { Clock } from '../clock.ts'
import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import type { OtpKind } from '../otp/records.ts'
import type { Store } from '../store/store.ts'
import type { Passphrases } from '../user/passphrase.ts'
import { countFailedLogin, passphraseRecordOf } from '../user/passphrase-records.ts'
import { findByUsername, type User } from '../user/records.ts'
import type { Sentences } from './advice.ts'
import { loginNameOf } from './login-name.ts'
import type { Attempt, Throttle } from './throttle.ts'

/** What somebody shows to be a user. */
export interface Claim {
  readonly username: string
  readonly passphrase: string
  readonly otp: string
  readonly otpKind: OtpKind
  readonly address: string
}

/** Who that is, as the database said when it began: what may have changed since is looked at again by who uses it. */
export interface Proof {
  readonly user: User
  readonly attempt: Attempt
  /** About the second factor. */
  readonly warnings: Sentences
}

export interface Proofs {
  /**
   * Checks second factor and pass phrase, always both, with the same work for a user who does not exist; undefined when
   * either was wrong. The OTP is used up even then, and the attempt counts as failed until it is forgiven.
   * @throws Fault `login.throttled`, `login.busy`
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
  /** One transaction uses up the OTP and counts the attempt: every refusal costs the same, and none is forgotten. */
  function useUp(attempt: Attempt, examined: ExaminedOtp | undefined, isGuessable: boolean): Promise<boolean> {
    return store.transaction(async (tx) => {
      const isFresh = examined !== undefined && (await otps.consume(tx, examined))
      await throttle.count(tx, attempt, isFresh && !isGuessable)
      await countFailedLogin(tx, attempt.userId ?? -1, clock.now())
      return isFresh
    })
  }

  return {
    // Seated before the OTP is used up: whoever is turned away for want of room can try again with it.
    prove: ({ username, passphrase, otp, otpKind, address }) =>
      passphrases.seated(async () => {
        const name = loginNameOf(username)
        const user = (await findByUsername(store.read, name)) ?? undefined
        const attempt = { name, userId: user?.id, address }
        const examined = await otps.examine(user?.id, otpKind, otp)
        const isFresh = await useUp(attempt, examined, otp.length < hardwareOtpLength)
        const isRight = await passphrases.check(passphrase, user && passphraseRecordOf(user))
        if (!user || !isFresh || !isRight) return undefined
        return { user, attempt, warnings: examined?.warnings ?? {} }
      }),
  }
}

/** Six to eight digits can be guessed, the 128 bits of a hardware token's OTP cannot. */
const hardwareOtpLength = 44
