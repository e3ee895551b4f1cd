import { mayAdminister, mayLogIn } from '../../access/capabilities.ts'
import type { ResponseVersion } from '../../access/response-version.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Sessions } from './sessions.ts'
import type { Tx } from '../../store/store.ts'
import type { Passphrases } from '../users/passphrase.ts'
import { strengthOf } from '../users/passphrase-strength.ts'
import {
  forgiveFailedLogins,
  passphraseRecordOf,
  renewPassphraseRecord,
  setPassphraseStrength,
} from '../users/passphrase-records.ts'
import type { User } from '../users/records.ts'
import { gathered, type Advice, type Sentences } from './login-advice.ts'
import type { ApplicationKeys } from './application-key.ts'
import type { Credentials, LoginType } from './credentials.ts'
import { failureWarning, passphraseAdvice } from './passphrase-advice.ts'
import { networkOf } from './network.ts'
import type { Proof, Proofs } from './credential-check.ts'
import type { ApplicationKey } from './login-records.ts'
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
  readonly shapes: ResponseVersion
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
  readonly applicationKeys: ApplicationKeys
  readonly passphrases: Pick<Passphrases, 'inTurn' | 'renew'>
  readonly proofs: Proofs
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly clock: Clock
  readonly enabledTypes: readonly LoginType[]
  /** What an administrator must see to, under the keys of `CALLINFO.audit`. */
  readonly siteWarnings: () => Sentences
  /** 0: pass phrases may grow as old as they like. */
  readonly passphraseMaxAgeMs: number
}

export function createLogin(dependencies: LoginDependencies): Login {
  const { applicationKeys, passphrases, proofs, sessions, throttle, clock, enabledTypes } = dependencies
  const { siteWarnings, passphraseMaxAgeMs } = dependencies

  /** The reading whose application key exists, and that key; the first reading when there is none. All are looked up, always. */
  async function settle(
    readings: readonly Credentials[],
  ): Promise<{ credentials: Credentials; applicationKey: ApplicationKey | undefined }> {
    const [first] = readings
    if (first === undefined) throw new Fault('login.refused')
    const settled = await Promise.all(
      readings.map(async (credentials) => ({
        credentials,
        applicationKey: await applicationKeys.find(credentials.applicationKey),
      })),
    )
    return (
      settled.find(({ applicationKey }) => applicationKey !== undefined) ?? {
        credentials: first,
        applicationKey: undefined,
      }
    )
  }

  /** What to say about the pass phrase; where its strength was never judged, this is the moment: it is in hand. */
  async function adviseOn(tx: Tx, { user, warnings }: Proof, passphrase: string): Promise<Advice> {
    const strength = user.passphraseStrength ?? strengthOf(passphrase, [user.username])
    if (user.passphraseStrength === null) await setPassphraseStrength(tx, user.id, strength)
    const own = passphraseAdvice(user, strength, clock.now(), passphraseMaxAgeMs)
    const site = mayAdminister(user.capabilities) ? siteWarnings() : {}
    return gathered([own, { warnings: failureWarning(user) }, { warnings }, { warnings: site }])
  }

  const logIn: Login['logIn'] = async ({ username, credentials: readings, address }, commit) => {
    const { credentials, applicationKey } = await settle(readings)
    if (!enabledTypes.includes(credentials.otpKind)) throw new Fault('login.type_disabled')
    const proof = await proofs.prove({ ...credentials, username, address })
    if (!proof || !applicationKey || !mayLogIn(proof.user.capabilities)) throw refusalOf(credentials)
    const { user } = proof
    const renewed = await passphrases.renew(credentials.passphrase, passphraseRecordOf(user))
    return commit(async (tx) => {
      await throttle.forgive(tx, proof.attempt)
      // Locks the row of the user.
      if (!(await forgiveFailedLogins(tx, user)) || !(await proof.isStillHeld(tx))) throw refusalOf(credentials)
      if (renewed !== undefined) await renewPassphraseRecord(tx, user.id, renewed)
      const { id: applicationKeyId, shapes } = applicationKey
      const { certificate } = proof
      const opened = await sessions.open(tx, { userId: user.id, applicationKeyId, address, certificate })
      return { ...opened, user, applicationKeyId, shapes, advice: await adviseOn(tx, proof, credentials.passphrase) }
    })
  }

  return {
    logIn: (attempt, commit) => passphrases.inTurn(() => logIn(attempt, commit), networkOf(attempt.address)),
  }
}

function refusalOf({ otpKind }: Credentials): Fault {
  if (otpKind !== 'smartcard') return new Fault('login.refused')
  return new Fault('login.refused', 'The login failed: check user name, pass phrase, application key and smartcard.')
}
