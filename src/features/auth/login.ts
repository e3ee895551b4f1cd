import { setTransactionGrant } from '../../access/transaction-grant.ts'
import { mayAdminister, mayLogIn } from '../../access/capabilities.ts'
import type { ResponseVersion } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Sessions } from './sessions.ts'
import type { Store, TransactionOptions, Tx } from '../../store/store.ts'
import type { PassphraseRecord, Passphrases } from '../users/passphrase.ts'
import { strengthOf } from '../users/passphrase-policy.ts'
import {
  forgiveFailedLogins,
  passphraseRecordOf,
  recordColumns,
  setPassphraseStrength,
} from '../users/passphrase-records.ts'
import { lockedUser, type User } from '../users/records.ts'
import { onHoldAdvice } from '../users/recovery.ts'
import { countOnHold } from '../users/recovery-records.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { changeUser } from '../users/user-seals.ts'
import type { ApplicationKeys } from './application-key.ts'
import { isEnabled, type Credentials, type LoginType } from './credentials.ts'
import type { CredentialCheck, VerifiedCredentials } from './credential-check.ts'
import { commitGoodAttempt } from './good-attempt.ts'
import { combined, failureWarning, passphraseAdvice, type Advice, type Sentences } from './login-advice.ts'
import type { ApplicationKey } from './application-key-records.ts'

export interface LoginAttempt {
  readonly username: string
  /** Every way to read what the caller sent. At most one is right. */
  readonly credentials: readonly Credentials[]
  readonly address: string
}

export interface LoggedIn {
  readonly token: string
  readonly user: User
  readonly sessionId: number
  readonly applicationKeyId: number
  readonly responseVersion: ResponseVersion
  readonly advice: Advice
}

export type CommitLogin = (
  work: (tx: Tx) => Promise<LoggedIn>,
  options: Pick<TransactionOptions, 'syncAside'>,
) => Promise<LoggedIn>

export interface Login {
  /**
   * Checks all three factors, always, and reveals only whether all were right. The OTP is used up even when the others
   * were wrong.
   * @throws Fault `login.refused`, `login.throttled`, `login.busy`, `login.type_disabled`
   */
  logIn(attempt: LoginAttempt, commit: CommitLogin): Promise<LoggedIn>
}

export function createLogin({
  store,
  hsm,
  applicationKeys,
  passphrases,
  credentialCheck,
  sessions,
  clock,
  enabledTypes,
  siteWarnings,
  passphraseMaxAgeMs,
}: {
  readonly store: Pick<Store, 'transaction'>
  readonly hsm: Sealer
  readonly applicationKeys: ApplicationKeys
  readonly passphrases: Pick<Passphrases, 'loginQueue' | 'renew'>
  readonly credentialCheck: CredentialCheck
  readonly sessions: Sessions
  readonly clock: Clock
  readonly enabledTypes: readonly LoginType[]
  /** Warnings for administrators, under their keys in `CALLINFO.audit`. */
  readonly siteWarnings: () => Sentences
  /** 0: the age of pass phrases is not limited. */
  readonly passphraseMaxAgeMs: number
}): Login {
  /** Advice for the user. A strength that was never estimated is estimated now, while the pass phrase is known. */
  async function adviseOn(tx: Tx, { user, warnings }: VerifiedCredentials, passphrase: string): Promise<Advice> {
    const strength = user.passphraseStrength ?? strengthOf(passphrase, [user.username])
    if (user.passphraseStrength === null) await setPassphraseStrength(tx, user.id, strength)
    const own = passphraseAdvice(user, strength, clock.now(), passphraseMaxAgeMs)
    const site = mayAdminister(user.capabilities) ? siteWarnings() : {}
    const onHold = await onHoldWarning(tx, user)
    return combined([own, ...[failureWarning(user), warnings, onHold, site].map((each) => ({ warnings: each }))])
  }

  const logIn: Login['logIn'] = async ({ username, credentials: readings, address }, commit) => {
    const { credentials, applicationKey } = await chooseReading(applicationKeys, readings, enabledTypes)
    const application = { text: credentials.applicationKey, key: applicationKey }
    const verified = await credentialCheck.beginSession({ ...credentials, username, address }, application)
    if (!verified || !applicationKey || !mayLogIn(verified.user.capabilities)) throw new Fault('login.refused')
    const { user, begun } = verified
    const renewed = await passphrases.renew(credentials.passphrase, passphraseRecordOf(user), begun.isCheckCurrent)
    const { id: applicationKeyId, responseVersion } = applicationKey
    const certificate = verified.card?.fingerprint ?? null
    const session = { user, applicationKeyId, address, certificate, begun }
    const isNoted = user.madeBy !== null || renewed !== undefined
    const grant = isNoted ? await sessions.grant(session, applicationKey) : undefined
    const work = async (tx: Tx): Promise<LoggedIn> => {
      await verified.forgive(tx)
      // Also locks the user's row.
      if (!(await forgiveFailedLogins(tx, user)) || !(await verified.isStillHeld(tx))) throw new Fault('login.refused')
      const sessionId = await sessions.open(tx, session)
      if (grant !== undefined) {
        setTransactionGrant(tx, () => Promise.resolve(grant))
        await noteLogin(hsm, tx, user, renewed)
      }
      const advice = await adviseOn(tx, verified, credentials.passphrase)
      return { sessionId, token: begun.token, user, applicationKeyId, responseVersion, advice }
    }
    // The client gets the token when the commit is on the disk. Others see a change of the user only then, too: once the
    // keeper was shown it, an earlier row of the user, as a loss of power may leave, is refused.
    return commitGoodAttempt(store, verified, () => commit(work, { syncAside: grant === undefined }))
  }

  return {
    logIn: (attempt, commit) =>
      passphrases.loginQueue.run(() => logIn(attempt, commit).catch(refuseEnded), credentialCheck.originOf(attempt)),
  }
}

/** The user's sessions were ended during the login, this one included: its client is told that the login failed. */
function refuseEnded(error: unknown): never {
  throw isFault(error, 'session.invalid') ? new Fault('login.refused') : error
}

/**
 * Notes the first login, after which the creator of the user counts as another person, and stores the renewed pass
 * phrase record.
 */
async function noteLogin(hsm: Sealer, tx: Tx, user: User, renewed: PassphraseRecord | undefined): Promise<void> {
  const current = await lockedUser(tx, user.id)
  await changeUser(hsm, tx, current, { madeBy: null, ...(renewed && recordColumns(renewed)) })
}

/** Counts memberships on hold, and only where the user was ever recovered. */
async function onHoldWarning(tx: Tx, { id, recoveries }: User): Promise<Sentences> {
  const [sentence] = recoveries === 0 ? [] : onHoldAdvice(await countOnHold(tx, id))
  return sentence === undefined ? {} : { memberships_resting: sentence }
}

/**
 * The reading whose application key exists, with that key; when there is none, the first reading of an enabled type,
 * because the refusal of a disabled one would tell that the key does not exist. All readings are looked up, so that the
 * time reveals nothing.
 */
async function chooseReading(
  applicationKeys: Pick<ApplicationKeys, 'find'>,
  readings: readonly Credentials[],
  enabledTypes: readonly LoginType[],
): Promise<{ credentials: Credentials; applicationKey: ApplicationKey | undefined }> {
  const first = readings.find((reading) => isEnabled(enabledTypes, reading)) ?? readings[0]
  if (first === undefined) throw new Fault('login.refused')
  const looked = await Promise.all(
    readings.map(async (credentials) => ({
      credentials,
      applicationKey: await applicationKeys.find(credentials.applicationKey),
    })),
  )
  return (
    looked.find(({ applicationKey }) => applicationKey !== undefined) ?? {
      credentials: first,
      applicationKey: undefined,
    }
  )
}
