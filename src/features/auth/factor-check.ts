import type { Clock } from '../../clock.ts'
import type { SealedRecord } from '../../hsm/hsm.ts'
import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import type { ExaminedPasskey, Passkeys } from '../passkeys/passkeys.ts'
import type { PresentedPasskey } from '../passkeys/presented-passkey.ts'
import { sealedPasskey } from '../passkeys/records.ts'
import type { Store, Tx } from '../../store/store.ts'
import { countFailedLogin } from '../users/passphrase-records.ts'
import { hardwareOtpLength, type PresentedCard, type SecondFactor } from './credentials.ts'
import type { Sentences } from './login-advice.ts'
import type { Attempt, ForgiveAttempt, Throttle } from './throttle.ts'
import { useAssertionUp } from './used-assertion-records.ts'

/** A second factor that is the user's. */
export interface CheckedFactor {
  /** About the second factor. */
  readonly warnings: Sentences
  /** The smartcard, if that was the second factor. */
  readonly card?: PresentedCard
  /** The record that the user must name as a factor. */
  readonly sealed: SealedRecord
  /** Whether the user has the second factor still, once the row of the user is locked. */
  readonly isStillHeld: (tx: Tx) => Promise<boolean>
  /** True for exactly one of any number of uses of an OTP. */
  readonly consume: (tx: Tx) => Promise<boolean>
  /** The OTP, which the keeper is to use up. */
  readonly otp?: ExaminedOtp
  /** Likewise the assertion of a passkey. */
  readonly passkey?: ExaminedPasskey
  /** Where all else was right, too. */
  readonly forgive: ForgiveAttempt
}

type ExaminedFactor = Omit<CheckedFactor, 'forgive'>

/**
 * Checks the factor, uses it up in the database and counts the attempt: every refusal costs the same, and none is lost.
 * Codes that can be guessed are counted first, so that a throttled guess does not reach the keeper; a hardware token's
 * OTP is counted with its use, apart from the failures of those who have none.
 */
export type CheckFactor = (attempt: Attempt, claim: SecondFactor) => Promise<CheckedFactor | undefined>

export function createFactorCheck({
  store,
  otps,
  passkeys,
  throttle,
  clock,
}: {
  readonly store: Store
  readonly otps: Otps
  readonly passkeys: Pick<Passkeys, 'examine' | 'noteUse'>
  readonly throttle: Throttle
  readonly clock: Clock
}): CheckFactor {
  // Other calls can only be refused because of it.
  const transaction = <T>(work: (tx: Tx) => Promise<T>) => store.transaction(work, { syncAside: true })

  async function examine(userId: number | undefined, claim: SecondFactor): Promise<ExaminedFactor | undefined> {
    if (claim.otpKind === 'smartcard') {
      const { card } = claim
      if (card === undefined || card.userId !== userId) return undefined
      const { sealed, warnings, isStillHeld } = card
      return { warnings, card, sealed, consume: yes, isStillHeld }
    }
    if (claim.otpKind === 'webauthn') return examinePasskey(userId, claim.passkey)
    const otp = await otps.examine(store.read, userId, claim.otpKind, claim.otp)
    if (otp === undefined) return undefined
    const { state, warnings } = otp
    return { otp, sealed: state.device, warnings, consume: (tx) => otps.consume(tx, otp), isStillHeld: yes }
  }

  async function examinePasskey(
    userId: number | undefined,
    presented: PresentedPasskey,
  ): Promise<ExaminedFactor | undefined> {
    const passkey = await passkeys.examine(store.read, userId, presented)
    if (passkey === undefined) return undefined
    const consume = async (tx: Tx): Promise<boolean> =>
      (await useAssertionUp(tx, passkey.usedUp, clock.now())) && passkeys.noteUse(tx, passkey)
    return { passkey, sealed: sealedPasskey(passkey.passkey), warnings: {}, consume, isStillHeld: yes }
  }

  async function count(tx: Tx, attempt: Attempt, isHolder: boolean): Promise<ForgiveAttempt> {
    const forgive = await throttle.count(tx, attempt, isHolder)
    await countFailedLogin(tx, attempt.userId ?? -1, clock.now())
    return forgive
  }

  return async (attempt, claim) => {
    const isGuessable = 'otp' in claim && claim.otp.length < hardwareOtpLength
    const guess = isGuessable ? await transaction((tx) => count(tx, attempt, false)) : undefined
    const factor = await examine(attempt.userId, claim)
    return transaction(async (tx) => {
      const isFresh = factor !== undefined && (await factor.consume(tx))
      const forgive = guess ?? (await count(tx, attempt, isFresh))
      return isFresh ? { ...factor, forgive } : undefined
    })
  }
}

const yes = (): Promise<boolean> => Promise.resolve(true)
