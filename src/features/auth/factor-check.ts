import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../../hsm/hsm.ts'
import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import type { ExaminedPasskey, Passkeys } from '../passkeys/passkeys.ts'
import type { PresentedPasskey } from '../passkeys/presented-passkey.ts'
import { sealedPasskey } from '../passkeys/records.ts'
import type { Store, Tx } from '../../store/store.ts'
import { countFailedLogin } from '../users/passphrase-records.ts'
import { hardwareOtpLength, isEnabled, type LoginType, type PresentedCard, type SecondFactor } from './credentials.ts'
import type { Sentences } from './login-advice.ts'
import type { Attempt, ForgiveAttempt, Throttle, ShownAttempt } from './throttle.ts'
import { useAssertionUp } from './used-assertion-records.ts'

/** A second factor that was shown and belongs to the user. */
export interface CheckedFactor {
  /** Warnings for the user about this factor. */
  readonly warnings: Sentences
  /** The smartcard, where that was the second factor. */
  readonly card?: PresentedCard
  /** The sealed record of the factor. The user's record must name it. */
  readonly sealed: SealedRecord
  /** Whether the user still has the factor. Call it once the user's row is locked. */
  readonly isStillHeld: (tx: Tx) => Promise<boolean>
  /** Uses an OTP up: true for exactly one of any number of parallel calls. */
  readonly consume: (tx: Tx) => Promise<boolean>
  /** The OTP that the keeper has to use up. */
  readonly otp?: ExaminedOtp
  /** The passkey assertion that the keeper has to use up. */
  readonly passkey?: ExaminedPasskey
  /** Takes the counted attempt back; to be called where the whole login was right. */
  readonly forgive: ForgiveAttempt
}

type ExaminedFactor = Omit<CheckedFactor, 'forgive'>

/**
 * Checks a second factor, uses it up in the database and counts the attempt. Every refusal costs the same, and each
 * attempt is counted. Codes that can be guessed are counted before they are checked, so that a throttled guess does not
 * reach the keeper. An OTP of a hardware token is counted with its use, apart from failed attempts without the token.
 *
 * @throws Fault `login.type_disabled`, before anything is counted or used up; `login.throttled`
 */
export type CheckFactor = (attempt: Attempt, claim: SecondFactor) => Promise<CheckedFactor | undefined>

export function createFactorCheck({
  store,
  otps,
  passkeys,
  throttle,
  clock,
  enabledTypes,
}: {
  readonly store: Store
  readonly otps: Otps
  readonly passkeys: Pick<Passkeys, 'examine' | 'noteUse'>
  readonly throttle: Throttle
  readonly clock: Clock
  readonly enabledTypes: readonly LoginType[]
}): CheckFactor {
  // `syncAside` is safe here: a call that sees the change before it is on the disk can only refuse because of it.
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

  async function count(tx: Tx, attempt: ShownAttempt): Promise<ForgiveAttempt> {
    const forgive = await throttle.count(tx, attempt)
    await countFailedLogin(tx, attempt.userId ?? -1, clock.now())
    return forgive
  }

  return async (attempt, claim) => {
    if (!isEnabled(enabledTypes, claim)) throw new Fault('login.type_disabled')
    const isGuessable = 'otp' in claim && claim.otp.length < hardwareOtpLength
    const guess = isGuessable ? await transaction((tx) => count(tx, { ...attempt, isHolder: false })) : undefined
    const factor = await examine(attempt.userId, claim)
    return transaction(async (tx) => {
      const isFresh = factor !== undefined && (await factor.consume(tx))
      const forgive = guess ?? (await count(tx, { ...attempt, isHolder: isFresh }))
      return isFresh ? { ...factor, forgive } : undefined
    })
  }
}

const yes = (): Promise<boolean> => Promise.resolve(true)
