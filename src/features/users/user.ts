import { hash } from 'node:crypto'
import type { Capabilities } from '../../access/capabilities.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Reader, Store, Tx } from '../../store/store.ts'
import type { Passphrases } from './passphrase.ts'
import { passphraseColumns } from './passphrase-records.ts'
import {
  findByUsername,
  insertUser,
  isPerson,
  listUsers,
  searchPattern,
  selectUserPage,
  selectUsers,
  type ListedUser,
  type User,
  type UserPage,
} from './records.ts'
import type { Sealer } from './sealed-change.ts'
import { createShownAccounts } from './shown-accounts.ts'
import { applyChange, deactivated, type SecondFactors, type UserChanges } from './user-change.ts'
import { checkCapabilities, checkFields, checkNameFree, unlessTaken, withTrimmedName } from './user-fields.ts'
import { sealNewUser } from './user-seals.ts'

export interface NewUser {
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: Capabilities
  readonly passphrase: string
  /** An OTP of a registered hardware token without a holder: the user gets that token. */
  readonly hardwareOtp?: string | undefined
  /** Whether to make a seed for an authenticator app. */
  readonly totp?: boolean | undefined
}

export interface CreatedUser extends User {
  /** otpauth URI of the new authenticator app: shown once, stored nowhere. */
  readonly otpauth: string | undefined
}

export interface Users {
  /**
   * `by` is who makes the user.
   * @throws Fault `user.invalid` (the detail names the field), `user.exists`, and those of `SecondFactors`
   */
  create(user: NewUser, by: number, commit: Commit): Promise<CreatedUser>
  /** See `createShownAccounts`. */
  readonly showAll: () => Promise<void>
  /** Persons and service accounts. The other methods know persons only, unless they say otherwise. */
  list(): Promise<User[]>
  /** @throws Fault `user.not_found` */
  find(username: string): Promise<User>
  /**
   * Finds a person or a service account: both can be members of vaults and have sessions.
   * @throws Fault `user.not_found`
   */
  findMember(username: string): Promise<User>
  /** @throws Fault `user.not_found` */
  read(id: number): Promise<ListedUser>
  /**
   * Users whose full name or e-mail address contains `text`, and with `inNames` also those whose login name does, in
   * any case; all for an empty text.
   */
  search(text: string, inNames: boolean): Promise<ListedUser[]>
  /** A page of the same, and whether there are more. */
  searchPage(
    text: string,
    inNames: boolean,
    page: UserPage,
  ): Promise<{ readonly users: readonly ListedUser[]; readonly hasMore: boolean }>
  /**
   * Changes one user. Changes of users run one after another, so that the last active administrator always stays one.
   * `actorId`, if given, must still be an administrator and cannot give themselves capabilities.
   * @throws Fault `user.not_found`, `user.invalid`, `user.exists`, `access.capability`, and those of `SecondFactors`
   */
  change(id: number, changes: UserChanges, commit: Commit, actorId?: number): Promise<User>
  /**
   * Keeps a user from logging in. Users are never deleted, because the audit trail names them. The last active
   * administrator cannot be disabled.
   * @throws Fault `user.not_found`, `user.invalid`
   */
  disable(username: string, commit: Commit): Promise<void>
}

export function createUsers({
  store,
  hsm,
  passphrases,
  secondFactors,
  endSessions,
  clock,
}: {
  readonly store: Store
  readonly hsm: Sealer & Pick<Hsm, 'generatePair'>
  readonly passphrases: Passphrases
  readonly secondFactors: SecondFactors
  /** Ends all sessions of a user. */
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
  readonly clock: Clock
}): Users {
  async function create(given: NewUser, by: number, commit: Commit): Promise<CreatedUser> {
    const user = withTrimmedName(given)
    checkFields(user)
    checkCapabilities(user.capabilities)
    const { username, hardwareOtp, totp } = user
    const row = await rowOf({ hsm, passphrases, clock }, user, by)
    return unlessTaken(username, () =>
      commit(async (tx) => {
        await checkNameFree(tx, username)
        const created = await sealNewUser(hsm, tx, await insertUser(tx, row))
        if (hardwareOtp !== undefined) await secondFactors.adoptByOtp(tx, created.id, hardwareOtp, by)
        return { ...created, otpauth: totp ? await secondFactors.enrolTotp(tx, created, by) : undefined }
      }),
    )
  }

  const findMember = (username: string): Promise<User> => userNamed(store.read, username)

  async function find(username: string): Promise<User> {
    const user = await findMember(username)
    if (!isPerson(user))
      throw new Fault('user.not_found', `${username} is a service account, which "strongroom service" knows.`)
    return user
  }

  async function change(id: number, given: UserChanges, commit: Commit, actorId?: number): Promise<User> {
    const changes = withTrimmedName(given)
    checkFields(changes)
    return unlessTaken(changes.username, () =>
      commit((tx) => applyChange(tx, { hsm, secondFactors, endSessions }, id, changes, actorId)),
    )
  }

  return {
    showAll: createShownAccounts({ store, hsm }),
    find,
    findMember,
    create,
    change,
    list: () => listUsers(store.read),

    async read(id) {
      const [user] = await selectUsers(store.read, { id })
      if (user === undefined) throw new Fault('user.not_found')
      return user
    },

    search: (text, inNames) => selectUsers(store.read, { pattern: searchPattern(text, inNames) }),

    async searchPage(text, inNames, { after, most }) {
      const users = await selectUserPage(store.read, searchPattern(text, inNames), { after, most: most + 1 })
      return { users: users.slice(0, most), hasMore: users.length > most }
    },

    disable: async (username, commit) =>
      void (await change((await find(username)).id, { capabilities: deactivated }, commit)),
  }
}

/** The row of a new user. The slow parts (hash of the pass phrase, key pair) are made before the transaction. */
async function rowOf(
  { hsm, passphrases, clock }: Pick<Parameters<typeof createUsers>[0], 'hsm' | 'passphrases' | 'clock'>,
  user: NewUser,
  by: number,
) {
  const { username, fullname, email, capabilities } = user
  const passphrase = await passphrases.create(user.passphrase, username)
  const pair = await newPair(hsm)
  const now = clock.now()
  return {
    username,
    fullname,
    email,
    capabilities,
    ...passphraseColumns(passphrase, now, by),
    madeBy: by,
    ...pair,
    createdAt: now,
  }
}

/** @throws Fault `user.not_found` */
export async function userNamed(reader: Reader, username: string): Promise<User> {
  const user = await findByUsername(reader, username)
  if (user === null) throw new Fault('user.not_found', `There is no user ${username}.`)
  return user
}

/** The columns of a new key pair. Answers name the user by its fingerprint; it has no other use. */
export async function newPair(
  hsm: Pick<Hsm, 'generatePair'>,
): Promise<Pick<User, 'keyKek' | 'keyBlob' | 'publicKey' | 'fingerprint'>> {
  const { kek: keyKek, blob: keyBlob, publicKey } = await hsm.generatePair('ec-p256')
  return { keyKek, keyBlob, publicKey, fingerprint: fingerprintOf(publicKey) }
}

/** 40 upper-case hexadecimal digits, the length of the OpenPGP fingerprints that clients of this API know. */
function fingerprintOf(publicKey: Buffer): string {
  return hash('sha256', publicKey).slice(0, 40).toUpperCase()
}
