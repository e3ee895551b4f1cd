import { mayLogIn } from '../../access/capabilities.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import { refused } from '../../hsm/assertion.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { BegunService, ServiceEvidence } from '../../hsm/login-request.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Store, Tx } from '../../store/store.ts'
import { findByUsername, isPerson, type User } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { createServiceLiveness } from './service-liveness.ts'
import { noteUse } from './service-use-records.ts'
import { evidenceOf, subjectOf, type EvidenceDependencies, type ShownCredential } from './shown-credential.ts'
import { useAssertionUp } from './used-assertion-records.ts'
import type { ServiceSessions } from './service-sessions.ts'

export interface ServiceAttempt {
  /** Name of the account; undefined where the assertion names it. */
  readonly account: string | undefined
  readonly shown: ShownCredential
  readonly address: string
}

export interface ServiceLoggedIn {
  readonly token: string
  readonly account: User
  readonly sessionId: number
  /** Id of the credential. */
  readonly credential: string
  readonly expiresAt: number
}

/**
 * Logins of service accounts. Their credentials cannot be guessed, so failed logins cause no delay, which others could
 * abuse; the limit of calls without a session bounds them.
 */
export interface ServiceLogin {
  /**
   * `explain` is told, for the audit trail, why a login is refused and of which account. The client is told nothing of
   * it.
   * @throws Fault `login.refused`
   */
  logIn(
    attempt: ServiceAttempt,
    commit: (work: (tx: Tx) => Promise<ServiceLoggedIn>) => Promise<ServiceLoggedIn>,
    explain: (reason: string, account: string | undefined) => void,
  ): Promise<ServiceLoggedIn>
}

export interface ServiceLoginDependencies extends EvidenceDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'serviceLogin'>
  readonly clock: Clock
  readonly sessions: Pick<ServiceSessions, 'open'>
}

export function createServiceLogin(on: ServiceLoginDependencies): ServiceLogin {
  const { hsm, clock, sessions } = on
  const find = accountFinder(on)

  /** Decides by the present row, and anew where another machine changed it after it was read. */
  async function begin(attempt: NamedAttempt, evidence: ServiceEvidence) {
    const decide = async (account: User) => ({ account, begun: await hsm.serviceLogin(sealedUser(account), evidence) })
    const account = await find(attempt).catch(async (error: unknown) => {
      // The same work as for a known account, so that the time of the answer does not reveal which names exist.
      if (isFault(error, 'login.refused')) await hsm.serviceLogin(undefined, evidence).catch(unlessRefused)
      throw error
    })
    return retryOvertaken(async (isAgain) => decide(isAgain ? await find(attempt) : account))
  }

  const open = async (
    tx: Tx,
    { account, begun }: { readonly account: User; readonly begun: BegunService },
    address: string,
  ): Promise<ServiceLoggedIn> => {
    const { token, credential, expiresAt, usedUp } = begun
    if (usedUp !== undefined && !(await useAssertionUp(tx, usedUp, clock.now())))
      throw refused('the assertion was used before, at another machine')
    const sessionId = await sessions.open(tx, { account, address, begun })
    await noteUse(tx, { userId: account.id, credential, usedAt: clock.now(), address })
    return { token, account, sessionId, credential, expiresAt }
  }

  return {
    async logIn({ account: given, shown, address }, commit, explain) {
      let account = given
      try {
        account ??= shown.kind === 'jwt' ? subjectOf(shown.assertion) : ''
        const begun = await begin({ account, address }, await evidenceOf(on, shown))
        return await commit((tx) => open(tx, begun, address))
      } catch (error) {
        if (!isFault(error, 'login.refused')) throw error
        explain(error.detail ?? 'refused', account)
        throw new Fault('login.refused')
      }
    },
  }
}

interface NamedAttempt extends Pick<ServiceAttempt, 'address'> {
  readonly account: string
}

/** Returns a function that finds the account of an attempt, provided it may log in from that address. */
function accountFinder({ store, clock }: ServiceLoginDependencies) {
  const isAlive = createServiceLiveness()
  return async ({ account: name, address }: NamedAttempt): Promise<User> => {
    const user = await findByUsername(store.read, name)
    if (user === null || isPerson(user)) throw refused('there is no such service account')
    if (!mayLogIn(user.capabilities)) throw refused('the account is disabled')
    if (!isAlive({ user_id: user.id, service: user.service }, address, clock.now()))
      throw refused('the account has ended, or does not log in from this address')
    return user
  }
}

function unlessRefused(error: unknown): void {
  if (!isFault(error, 'login.refused')) throw error
}
