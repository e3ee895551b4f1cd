import { EntitySchema } from 'typeorm'
import type { Capabilities } from '../access/capabilities.ts'
import { bytes, id, integer, named, text, time } from '../store/columns.ts'
import type { Tx } from '../store/store.ts'

export interface User {
  readonly id: number
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: Capabilities
  readonly passphraseSalt: Buffer
  /** HMAC in the token over the argon2id hash: 32 bytes. */
  readonly passphraseCheck: Buffer
  /** The argon2id cost with which the check was made, for example `m=19456,t=2`. */
  readonly passphraseCost: string
  readonly keyKek: string
  readonly keyBlob: Buffer
  readonly publicKey: Buffer
  /** 40 upper-case hexadecimal digits. */
  readonly fingerprint: string
  readonly createdAt: number
}

export const UserTable = new EntitySchema<User>({
  name: 'User',
  tableName: 'users',
  columns: {
    id,
    username: text,
    fullname: text,
    email: text,
    capabilities: integer,
    passphraseSalt: named('passphrase_salt', bytes),
    passphraseCheck: named('passphrase_check', bytes),
    passphraseCost: named('passphrase_cost', text),
    keyKek: named('key_kek', text),
    keyBlob: named('key_blob', bytes),
    publicKey: named('public_key', bytes),
    fingerprint: text,
    createdAt: named('created_at', time),
  },
})

/** User names differ by more than upper and lower case. */
export function findByUsername(tx: Tx, username: string): Promise<User | null> {
  return tx
    .createQueryBuilder(UserTable, 'user')
    .where('lower(user.username) = lower(:username)', { username })
    .getOne()
}

export async function insertUser(tx: Tx, user: Omit<User, 'id'>): Promise<User> {
  const inserted = await tx.insert(UserTable, user)
  return { ...user, id: Number(inserted.identifiers[0]?.['id']) }
}

export function listUsers(tx: Tx): Promise<User[]> {
  return tx.find(UserTable, { order: { id: 'ASC' } })
}

/** Until the transaction ends, others that lock this user wait; false when there is no such user. */
export async function lockUser(tx: Tx, userId: number): Promise<boolean> {
  return (await tx.update(UserTable, { id: userId }, { capabilities: () => 'capabilities' })).affected === 1
}

export function findUserById(tx: Tx, id: number): Promise<User | null> {
  return tx.findOneBy(UserTable, { id })
}

/** Whether exactly this user was found and changed. */
export async function setCapabilities(tx: Tx, userId: number, capabilities: Capabilities): Promise<boolean> {
  return (await tx.update(UserTable, { id: userId }, { capabilities })).affected === 1
}
