import { createHash } from 'node:crypto'
import type { Capabilities } from '../access/capabilities.ts'
import { capabilityBits, holds } from '../access/capabilities.ts'
import type { Clock } from '../clock.ts'
import { Fault } from '../fault.ts'
import type { Hsm } from '../hsm/hsm.ts'
import type { Commit, Store } from '../store/store.ts'
import type { Passphrases } from './passphrase.ts'
import { findByUsername, insertUser, listUsers, setCapabilities, type User } from './records.ts'

export interface NewUser {
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: Capabilities
  readonly passphrase: string
}

export interface Users {
  /** @throws Fault `user.invalid` (the detail names the field), `user.exists` */
  create(user: NewUser, commit: Commit): Promise<User>
  list(): Promise<User[]>
  /** @throws Fault `user.not_found` */
  find(username: string): Promise<User>
  /**
   * Users are never deleted: their name stays in the audit trail. The last active administrator cannot be disabled.
   * @throws Fault `user.not_found`, `user.invalid`
   */
  disable(username: string, commit: Commit): Promise<void>
}

export interface UserDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'generatePair'>
  readonly passphrases: Passphrases
  readonly clock: Clock
}

export function createUsers({ store, hsm, passphrases, clock }: UserDependencies): Users {
  async function find(username: string): Promise<User> {
    const user = await findByUsername(store.read, username)
    if (user === null) throw new Fault('user.not_found', `There is no user ${username}.`)
    return user
  }

  return {
    find,
    list: () => listUsers(store.read),

    async create(user, commit) {
      checkFields(user)
      const { salt, check, cost } = await passphrases.create(user.passphrase)
      const pair = await hsm.generatePair('ec-p256')
      return commit(async (tx) => {
        if (await findByUsername(tx, user.username))
          throw new Fault('user.exists', `The user name ${user.username} is taken.`)
        const { passphrase: _, ...fields } = user
        return insertUser(tx, {
          ...fields,
          passphraseSalt: salt,
          passphraseCheck: check,
          passphraseCost: cost,
          keyKek: pair.kek,
          keyBlob: pair.blob,
          publicKey: pair.publicKey,
          fingerprint: fingerprintOf(pair.publicKey),
          createdAt: clock.now(),
        })
      })
    },

    async disable(username, commit) {
      const user = await find(username)
      await commit(async (tx) => {
        const administrators = (await listUsers(tx)).filter(isActiveAdministrator)
        if (administrators.length === 1 && administrators[0]?.id === user.id) {
          throw new Fault('user.invalid', `${user.username} is the last active administrator: make another one first.`)
        }
        await setCapabilities(tx, user.id, user.capabilities & ~(1 << capabilityBits.active))
      })
    },
  }
}

const isActiveAdministrator = (user: User): boolean =>
  holds(user.capabilities, 'admin') && holds(user.capabilities, 'active')

/** 40 upper-case hexadecimal digits, the length of the OpenPGP fingerprints that clients of this API know. */
function fingerprintOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 40).toUpperCase()
}

/** Spec: Limits. Lengths are counted in Unicode code points. */
const fieldLimits = { username: [5, 32], fullname: [5, 64], email: [5, 128], passphrase: [12, 256] } as const
type LimitedField = keyof typeof fieldLimits

function checkFields(user: NewUser): void {
  for (const field of ['username', 'fullname', 'email', 'passphrase'] as const) checkLength(field, user[field])
  for (const field of ['username', 'fullname', 'email'] as const) checkText(field, user[field])
  if (!/^[-\w.@]+$/.test(user.username))
    throw new Fault('user.invalid', 'username may hold letters, digits and - _ . @ only.')
  if (!/^[^@\s]+@[^@\s]+$/.test(user.email)) throw new Fault('user.invalid', 'email must be an e-mail address.')
}

function checkLength(field: LimitedField, value: string): void {
  const [least, most] = fieldLimits[field]
  const { length } = Array.from(value)
  if (length < least || length > most)
    throw new Fault('user.invalid', `${field} must have ${least} to ${most} characters.`)
}

function checkText(field: LimitedField, value: string): void {
  if (/\p{Cc}/u.test(value) || value !== value.trim()) {
    throw new Fault('user.invalid', `${field} must not begin or end with a blank or hold control characters.`)
  }
}
