import { holds, mayLogIn } from '../access/capabilities.ts'
import type { Shapes } from '../access/shapes.ts'
import { Fault } from '../fault.ts'
import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import type { OtpKind } from '../otp/records.ts'
import type { Sessions } from '../session/session.ts'
import type { Store, Tx } from '../store/store.ts'
import type { Passphrases } from '../user/passphrase.ts'
import { findByUsername, type User } from '../user/records.ts'
import { gathered, type Advice } from './advice.ts'
import type { ApplicationKeys } from './application-key.ts'
import type { Credentials } from './credentials.ts'
import type { ApplicationKey } from './records.ts'
import type { Throttle } from './throttle.ts'

export interface LoginAttempt {
  readonly username: string
  /** Every way to read what the caller sent; all but one are misreadings. */
  readonly credentials: readonly Credentials[]
  readonly address: string
}

export interface LoggedIn {
  readonly token: string
  readonly user: User
  readonly sessionId: number
  readonly applicationKeyId: number
  readonly shapes: Shapes
  readonly advice: Advice
}

export interface Login {
  /**
   * Checks all three factors, always, and tells only whether all were right. The OTP is used up even when the others
   * were wrong.
   * @throws Fault `login.refused`, `login.throttled`, `login.busy`, `login.type_disabled`
   */
  logIn(attempt: LoginAttempt, commit: (work: (tx: Tx) => Promise<LoggedIn>) => Promise<LoggedIn>): Promise<LoggedIn>
}

export interface LoginDependencies {
  readonly store: Store
  readonly applicationKeys: ApplicationKeys
  readonly passphrases: Passphrases
  readonly otps: Otps
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly enabledTypes: readonly OtpKind[]
}

export function createLogin(dependencies: LoginDependencies): Login {
  const { store, applicationKeys, passphrases, otps, sessions, throttle, enabledTypes } = dependencies

  /** The reading whose application key exists, and that key; the first reading when there is none. */
  async function settle(
    readings: readonly Credentials[],
  ): Promise<{ credentials: Credentials; applicationKey: ApplicationKey | undefined }> {
    const [first] = readings
    if (first === undefined) throw new Fault('login.refused')
    for (const credentials of readings) {
      const applicationKey = await applicationKeys.find(credentials.applicationKey)
      if (applicationKey) return { credentials, applicationKey }
    }
    return { credentials: first, applicationKey: undefined }
  }

  /** One transaction counts the attempt and uses up the OTP: every refusal costs the same. */
  function countAndConsume({ username, address }: LoginAttempt, examined: ExaminedOtp | undefined): Promise<boolean> {
    return store.transaction(async (tx) => {
      await throttle.count(tx, username, address)
      return examined !== undefined && (await otps.consume(tx, examined))
    })
  }

  return {
    async logIn(attempt, commit) {
      const { credentials, applicationKey } = await settle(attempt.credentials)
      if (!enabledTypes.includes(credentials.otpKind)) throw new Fault('login.type_disabled')
      const user = (await findByUsername(store.read, attempt.username)) ?? undefined
      const examined = await otps.examine(user?.id, credentials.otpKind, credentials.otp)
      const fresh = await countAndConsume(attempt, examined)
      const known = await passphrases.check(credentials.passphrase, user && passphraseOf(user))
      if (!user || !fresh || !known || !applicationKey || !mayLogIn(user.capabilities)) throw new Fault('login.refused')
      return commit(async (tx) => {
        await throttle.forgive(tx, attempt.username, attempt.address)
        const opened = await sessions.open(tx, {
          userId: user.id,
          applicationKeyId: applicationKey.id,
          address: attempt.address,
        })
        const advice = gathered([adviceOn(user), { warnings: examined?.warnings ?? {} }])
        return { ...opened, user, applicationKeyId: applicationKey.id, shapes: applicationKey.shapes, advice }
      })
    },
  }
}

function adviceOn(user: User): Partial<Advice> {
  if (!holds(user.capabilities, 'changePassphrase')) return {}
  return { violations: { passphrase_change: 'An administrator asks you to change your pass phrase.' } }
}

const passphraseOf = (user: User) => ({
  salt: user.passphraseSalt,
  check: user.passphraseCheck,
  cost: user.passphraseCost,
})
