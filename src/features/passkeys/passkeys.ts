import { randomUUID } from 'node:crypto'
import { transactionGrant } from '../../access/transaction-grant.ts'
import type { AuditTrail } from '../../audit/event.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { ShownPasskey } from '../../hsm/login-request.ts'
import {
  countsOn,
  readPasskeyAssertion,
  type PasskeyRules,
  type ReadPasskeyAssertion,
} from '../../hsm/passkey-assertion.ts'
import { keyOfNobody, readPublicJwk } from '../../hsm/public-jwk.ts'
import { withFactor, withoutFactor } from '../../hsm/user-factors.ts'
import type { Reader, Store, Tx } from '../../store/store.ts'
import { lockedUser, personById } from '../users/records.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { changeUser } from '../users/user-seals.ts'
import type { Challenges } from './challenges.ts'
import type { PresentedPasskey } from './presented-passkey.ts'
import {
  deletePasskey,
  findByCredentialId,
  findPasskey,
  insertPasskey,
  notePasskeyUse,
  passkeyRecord,
  passkeysOf,
  renamePasskey,
  sealedPasskey,
  type Passkey,
} from './records.ts'
import type { ReadRegistration } from './registration-response.ts'

/** A valid assertion of a user's passkey. */
export interface ExaminedPasskey {
  readonly passkey: Passkey
  readonly shown: ShownPasskey
  readonly signCount: number
  /** What it uses up in the database. */
  readonly usedUp: ReturnType<ReadPasskeyAssertion['usedUp']>
}

export interface Passkeys {
  /**
   * Checks an assertion; undefined where it is wrong for any reason, or the passkey belongs to another user. The keeper
   * decides again; this result tells the throttle whether the client has the second factor. An unknown passkey costs
   * about as much as a known one.
   */
  examine(reader: Reader, userId: number | undefined, presented: PresentedPasskey): Promise<ExaminedPasskey | undefined>
  /** Stores the new signature count; false where a parallel use was faster. */
  noteUse(tx: Tx, examined: ExaminedPasskey): Promise<boolean>
  /** @throws Fault `user.not_found` */
  list(userId: number): Promise<Passkey[]>
  /**
   * Registers a passkey for a user, under a fresh grant.
   * @throws Fault `passkey.invalid`, `passkey.exists`, `passkey.limit`
   */
  register(tx: Tx, userId: number, name: string, read: ReadRegistration): Promise<Passkey>
  /** @throws Fault `passkey.not_found` */
  rename(tx: Tx, userId: number, passkeyId: number, name: string): Promise<Passkey>
  /** Removes a user's passkey: from then on logins with it are refused. @throws Fault `passkey.not_found` */
  remove(tx: Tx, userId: number, passkeyId: number): Promise<Passkey>
  /**
   * The same at the user's own request; another second factor must be left.
   * @throws Fault `passkey.not_found`, `user.last_factor`
   */
  giveUp(tx: Tx, userId: number, passkeyId: number): Promise<Passkey>
}

/** Together with the other factors, no more than the sealed record of a user can name (`user-factors.ts`). */
const passkeysPerUser = 5

export interface PasskeysDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Sealer
  readonly clock: Clock
  readonly audit: Pick<AuditTrail, 'append'>
  /** Undefined where passkeys are disabled. */
  readonly rules: PasskeyRules | undefined
  readonly challenges: Pick<Challenges, 'isOfSession'>
}

export function createPasskeys(on: PasskeysDependencies): Passkeys {
  const { store, hsm, clock, challenges } = on

  /** @param least how many second factors must be left */
  async function remove(tx: Tx, userId: number, passkeyId: number, least: 0 | 1): Promise<Passkey> {
    const user = await lockedUser(tx, userId)
    const passkey = known(await findPasskey(tx, userId, passkeyId))
    const factors = withoutFactor(user.factors, passkeyRecord(passkey))
    if (factors.length < least) throw new Fault('user.last_factor')
    await changeUser(hsm, tx, user, { factors })
    if (!(await deletePasskey(tx, passkey))) throw new Fault('passkey.not_found')
    return passkey
  }

  return {
    examine: createExamination(on),
    noteUse: (tx, { passkey, signCount }) => notePasskeyUse(tx, passkey, signCount, clock.now()),

    async list(userId) {
      await personById(store.read, userId)
      return passkeysOf(store.read, userId)
    },

    async register(tx, userId, name, { credentialId, key, signCount, challenge }) {
      const grant = await transactionGrant(tx)
      if (grant === undefined || !(await challenges.isOfSession(challenge, grant))) throw new Fault('passkey.invalid')
      const user = await lockedUser(tx, userId)
      if ((await findByCredentialId(tx, credentialId)) !== null) throw new Fault('passkey.exists')
      if ((await passkeysOf(tx, userId)).length >= passkeysPerUser) throw new Fault('passkey.limit')
      const enrolled = { userId, credentialId, publicKey: JSON.stringify(key) }
      const record = passkeyRecord(enrolled)
      const seal = await hsm.seal(record, { grant })
      await changeUser(hsm, tx, user, { factors: withFactor(user.factors, record) })
      return insertPasskey(tx, { ...enrolled, name, seal, signCount, createdAt: clock.now(), usedAt: null })
    },

    async rename(tx, userId, passkeyId, name) {
      if (!(await renamePasskey(tx, userId, passkeyId, name))) throw new Fault('passkey.not_found')
      return known(await findPasskey(tx, userId, passkeyId))
    },

    remove: (tx, userId, passkeyId) => remove(tx, userId, passkeyId, 0),
    giveUp: (tx, userId, passkeyId) => remove(tx, userId, passkeyId, 1),
  }
}

function known(passkey: Passkey | undefined): Passkey {
  if (passkey === undefined) throw new Fault('passkey.not_found')
  return passkey
}

function createExamination({ clock, rules, audit }: PasskeysDependencies): Passkeys['examine'] {
  const noKey = JSON.stringify(keyOfNobody())

  return async (reader, userId, { credentialId, assertion }) => {
    const found = await findByCredentialId(reader, credentialId)
    const passkey = found !== null && found.userId === userId ? found : undefined
    const read = rules && readPasskeyAssertion(assertion, rules, { session: undefined, now: clock.now() })
    const isSigned = read?.isSignedBy(readPublicJwk(JSON.parse(passkey?.publicKey ?? noKey)))
    if (passkey === undefined || read === undefined || isSigned !== true) return undefined
    const { signCount } = read
    if (!countsOn(signCount, passkey.signCount)) {
      await noteCopy(audit, clock, passkey)
      return undefined
    }
    const shown = { passkey: sealedPasskey(passkey), signCount: passkey.signCount, assertion }
    return { passkey, shown, signCount, usedUp: read.usedUp(credentialId) }
  }
}

/**
 * A count that does not increase means that two authenticators have the passkey, or that an old assertion was sent
 * again: the operator is alerted.
 */
async function noteCopy(audit: Pick<AuditTrail, 'append'>, clock: Clock, { id, userId }: Passkey): Promise<void> {
  await audit.append({
    at: clock.now(),
    operation: 'passkey.count_back',
    requestId: randomUUID(),
    outcome: 'noted',
    username: 'appliance',
    target: `user ${userId}: passkey ${id}`,
  })
}
