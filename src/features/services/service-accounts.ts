import { mayLogIn } from '../../access/capabilities.ts'
import type { Clock } from '../../clock.ts'
import { isLonger } from '../../encoding/text-length.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { hasEnded, mostCredentials, serviceText, type ServiceAccount } from '../../hsm/service-account.ts'
import type { ServiceCredential } from '../../hsm/service-credential.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { ServiceSessions } from '../auth/service-sessions.ts'
import type { Sessions } from '../auth/sessions.ts'
import { insertUser, isPerson, lockedRow, type User } from '../users/records.ts'
import { countOnHold, insertRecovery } from '../users/recovery-records.ts'
import { showRecovered } from '../users/shown-accounts.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { unlessTaken, checkNameFree } from '../users/user-fields.ts'
import { changeUser, sealNewUser } from '../users/user-seals.ts'
import {
  createCredentialMaker,
  invalid,
  type AskedCredential,
  type CredentialMakerDependencies,
  type MadeCredential,
} from './new-credential.ts'
import {
  describedService,
  describedServices,
  ownerIdOf,
  ownerOf,
  serviceById,
  serviceNamed,
  serviceIn,
  stateOf,
  type Service,
} from './described-service.ts'
import { newServiceRow } from './service-row.ts'
import { capabilitiesWhile, comesWithRecovery, type ServiceState } from './service-change.ts'

export interface NewService {
  readonly name: string
  readonly description: string
  /** Id of the user. */
  readonly owner: number
  readonly addresses: readonly string[]
  readonly expiresAt: number | null
}

/** Undefined members leave their fields unchanged. */
export interface ServiceChanges {
  readonly description?: string | undefined
  readonly owner?: number | undefined
  readonly addresses?: readonly string[] | undefined
  readonly expiresAt?: number | null | undefined
  readonly isActive?: boolean | undefined
}

/** The result of a change: whether memberships of the account are now on hold by it. */
export interface ServiceChanged {
  readonly service: Service
  readonly putsOnHold: boolean
}

/** Service accounts. `by` is who makes a change, `operatorId` for the console. The caller checks who may. */
export interface ServiceAccounts {
  /** @throws Fault `service.invalid`, `user.exists`, `user.not_found` of the owner */
  create(service: NewService, commit: Commit): Promise<Service>
  list(): Promise<Service[]>
  /** @throws Fault `service.not_found` */
  read(id: number): Promise<Service>
  /** Id of its owner; undefined where there is no such account. */
  ownerIdOf(id: number): Promise<number | undefined>
  /** @throws Fault `service.not_found` */
  find(name: string): Promise<Service>
  /** @throws Fault `service.not_found`, `service.invalid`, `user.not_found` of the owner */
  change(id: number, changes: ServiceChanges, by: number, commit: Commit): Promise<ServiceChanged>
  /** @throws Fault `service.not_found`, `service.invalid`, `certificate.invalid` */
  addCredential(
    id: number,
    asked: AskedCredential,
    by: number,
    commit: Commit,
  ): Promise<ServiceChanged & MadeCredential>
  /**
   * Removes a credential and ends the sessions that it began.
   * @throws Fault `service.not_found`, `service.credential_unknown`
   */
  removeCredential(id: number, credential: string, by: number, commit: Commit): Promise<ServiceChanged>
  /**
   * Disables the account and removes all its credentials. Its name stays in the audit trail.
   * @throws Fault `service.not_found`
   */
  remove(id: number, by: number, commit: Commit): Promise<void>
}

export interface ServiceAccountsDependencies extends Omit<CredentialMakerDependencies, 'hsm'> {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Sealer & Pick<Hsm, 'generatePair' | 'applicationKeyChecks'>
  readonly clock: Clock
  readonly sessions: Pick<Sessions, 'endOthers'>
  readonly serviceSessions: Pick<ServiceSessions, 'endByCredential'>
  /** `open`: changes put no membership on hold. */
  readonly recovery: 'approved' | 'open'
}

export function createServiceAccounts(on: ServiceAccountsDependencies): ServiceAccounts {
  const { store, hsm, clock, serviceSessions } = on
  const makeCredential = createCredentialMaker(on)
  const alter = createAlteration(on)

  return {
    async create({ name, description, owner: ownerId, addresses, expiresAt }, commit) {
      checkFields({ name, description })
      const now = clock.now()
      // A change may give a past time, which ends the account at once.
      if (expiresAt !== null && expiresAt <= now) throw invalid('The account would have ended already.')
      const draft = await newServiceRow(hsm, { name, description }, now)
      await showRecovered(on, ownerId)
      const row = await unlessTaken(name, () =>
        commit(async (tx) => {
          await checkNameFree(tx, name)
          const owner = await ownerIn(tx, ownerId)
          const account = { ...ownedBy(owner), addresses, expiresAt, credentials: [] }
          return sealNewUser(hsm, tx, await insertUser(tx, { ...draft, service: textOf(account) }), owner)
        }),
      )
      return describedService(store.read, row)
    },

    list: () => describedServices(store.read),
    read: (id) => serviceById(store.read, id),
    ownerIdOf: (id) => ownerIdOf(store.read, id),
    find: (name) => serviceNamed(store.read, name),

    async change(id, { description, owner, isActive, ...settings }, by, commit) {
      checkFields({ description })
      if (owner !== undefined) await showRecovered(on, owner)
      const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
      return alter(id, by, commit, async (tx, before) => {
        const named = owner === undefined ? {} : ownedBy(await ownerIn(tx, owner))
        const account = { ...before.account, ...given, ...named }
        return { account, isActive: isActive ?? before.isActive, description }
      })
    },

    async addCredential(id, asked, by, commit) {
      const made = await makeCredential(asked, clock.now())
      const changed = await alter(id, by, commit, async (_tx, { account, isActive }) => {
        const { credentials } = account
        if (credentials.length >= mostCredentials)
          throw invalid(`A service account has ${mostCredentials} credentials at most: remove one that is not used.`)
        return { account: { ...account, credentials: [...credentials, made.credential] }, isActive }
      })
      return { ...changed, ...made }
    },

    removeCredential: (id, credential, by, commit) =>
      alter(id, by, commit, async (tx, { account, isActive }) => {
        const credentials = account.credentials.filter((one) => one.id !== credential)
        if (credentials.length === account.credentials.length) throw new Fault('service.credential_unknown')
        await serviceSessions.endByCredential(tx, id, credential)
        return { account: { ...account, credentials }, isActive }
      }),

    async remove(id, by, commit) {
      const none: readonly ServiceCredential[] = []
      await alter(id, by, commit, async (_tx, { account }) => ({
        account: { ...account, credentials: none },
        isActive: false,
      }))
    },
  }
}

type Alter = (
  id: number,
  by: number,
  commit: Commit,
  next: (tx: Tx, before: ServiceState) => Promise<ServiceState & { readonly description?: string | undefined }>,
) => Promise<ServiceChanged>

/** Makes one change of one account: locks it, and seals its next record. */
function createAlteration({ store, hsm, clock, sessions, recovery }: ServiceAccountsDependencies): Alter {
  return async (id, by, commit, next) => {
    const ownerId = await ownerIdOf(store.read, id)
    if (ownerId !== undefined) await showRecovered({ store, hsm }, ownerId)
    return commit(async (tx) => {
      const row = serviceIn(await lockedRow(tx, id))
      const before = stateOf(row)
      const after = await next(tx, before)
      const [ownerBefore, owner] = [await ownerOf(tx, before.account), await ownerOf(tx, after.account)]
      const isRecovery = comesWithRecovery(before, after, { by, owner: ownerBefore })
      const putsOnHold = isRecovery && recovery === 'approved'
      const account = isRecovery && by === owner?.id ? { ...after.account, ...ownedBy(owner) } : after.account
      const recoveries = row.recoveries + (putsOnHold ? 1 : 0)
      const changed = await changeUser(
        hsm,
        tx,
        row,
        {
          service: textOf(account),
          capabilities: capabilitiesWhile(after.isActive),
          recoveries,
          fullname: after.description ?? row.fullname,
        },
        owner ?? undefined,
      )
      if (putsOnHold)
        await insertRecovery(tx, { userId: id, number: recoveries, recoveredBy: by, recoveredAt: clock.now() })
      // All sessions: one that is not used meanwhile would otherwise become valid again. Also when the account is opened
      // again, since a login that was under way on another machine may have left a session.
      if (!(isOpen(before, clock.now()) && isOpen(after, clock.now()))) await sessions.endOthers(tx, id)
      const isOnHold = putsOnHold && (await countOnHold(tx, id)) > 0
      return { service: await describedService(tx, changed), putsOnHold: isOnHold }
    })
  }
}

/** Whether the account may log in. */
const isOpen = ({ isActive, account }: ServiceState, now: number): boolean => isActive && !hasEnded(account, now)

/**
 * Locks and reads the owner, a person who can log in, so that parallel changes of the owner wait.
 * @throws Fault `user.not_found`
 */
async function ownerIn(tx: Tx, id: number): Promise<User> {
  const owner = await lockedRow(tx, id)
  if (owner === null || !isPerson(owner) || !mayLogIn(owner.capabilities))
    throw new Fault('user.not_found', 'owner names no user who can log in.')
  return owner
}

const ownedBy = ({ identity, recoveries }: User): Pick<ServiceAccount, 'owner' | 'ownerRecoveries'> => ({
  owner: identity.toString('hex'),
  ownerRecoveries: recoveries,
})

/** @throws Fault `service.invalid` for an account that cannot be sealed */
function textOf(account: ServiceAccount): string {
  try {
    return serviceText(account)
  } catch (cause) {
    const limits = 'addresses holds 64 IP addresses or ranges such as 192.0.2.0/24 at most, and all of it 32 KiB'
    throw new Fault('service.invalid', `The account cannot be saved like this: ${limits}.`, { cause })
  }
}

function checkFields({
  name,
  description,
}: {
  readonly name?: string
  readonly description?: string | undefined
}): void {
  if (name !== undefined && !/^[-\w.]{3,64}$/.test(name))
    throw invalid('name must have 3 to 64 letters, digits and - _ . only.')
  if (description !== undefined && (isLonger(description, 128) || /\p{Cc}/u.test(description)))
    throw invalid('description must have 128 characters at most, and no control characters.')
}
