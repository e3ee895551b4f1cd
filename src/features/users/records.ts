import { EntitySchema, In, MoreThan, Raw } from 'typeorm'
import { capabilitiesOf, type Capabilities } from '../../access/capabilities.ts'
import { Fault } from '../../fault.ts'
import { groupsOf } from '../../groups.ts'
import { bytes, id, integer, named, nullable, text, time } from '../../store/columns.ts'
import { isSet } from '../../store/conditions.ts'
import { readInPages } from '../../store/pages.ts'
import { findRow, insertRow, select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

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
  /** See `strengthOf`; null where it was never judged. */
  readonly passphraseStrength: number | null
  readonly passphraseChangedAt: number
  /** Logins that failed since the last good one. */
  readonly failedLogins: number
  readonly lastFailedLoginAt: number | null
  readonly keyKek: string
  readonly keyBlob: Buffer
  readonly publicKey: Buffer
  /** 40 upper-case hexadecimal digits. */
  readonly fingerprint: string
  readonly createdAt: number
  /** The text that searches match, see `searchTextOf`. */
  readonly searchText: string
  /** How often another person set the pass phrase or gave a second factor: see `Recoveries`. */
  readonly recoveries: number
  /**
   * The id of the creator, until the user logs in or another person gives the user credentials;
   * `operatorId` for the console.
   */
  readonly madeBy: number | null
  /** Who set the present pass phrase; null for the user, and where it is not known. */
  readonly passphraseBy: number | null
  /** The second factors, see `user-factors.ts`. */
  readonly factors: Buffer
  /** The further data that the seal of a service account covers (`service-account.ts`); null for a person. */
  readonly service: string | null
  /** 16 random bytes that the keeper drew. */
  readonly identity: Buffer
  /** See `record-generation.ts`. */
  readonly generation: number
  /**
   * Seal over the record of the user or service account (`user-seals.ts`); empty in a row of an earlier release that
   * was not taken over.
   */
  readonly seal: Buffer
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
    passphraseStrength: named('passphrase_strength', nullable(integer)),
    passphraseChangedAt: named('passphrase_changed_at', time),
    failedLogins: named('failed_logins', integer),
    lastFailedLoginAt: named('last_failed_login_at', nullable(time)),
    keyKek: named('key_kek', text),
    keyBlob: named('key_blob', bytes),
    publicKey: named('public_key', bytes),
    fingerprint: text,
    createdAt: named('created_at', time),
    searchText: named('search_text', text),
    recoveries: integer,
    madeBy: named('made_by', nullable(integer)),
    passphraseBy: named('passphrase_by', nullable(integer)),
    factors: bytes,
    service: nullable(text),
    identity: bytes,
    generation: integer,
    seal: bytes,
  },
})

/** A person or a service account. Names that differ only in case are the same name. */
export function findByUsername(reader: Reader, username: string): Promise<User | null> {
  return reader.findOneBy(UserTable, { username: Raw((column) => `lower(${column}) = lower(:username)`, { username }) })
}

export type NewUserRow = Omit<
  User,
  'id' | 'searchText' | 'failedLogins' | 'lastFailedLoginAt' | 'recoveries' | 'service' | keyof typeof unsealed
> & { readonly service?: string | null }

const unsealed = { factors: Buffer.alloc(0), identity: Buffer.alloc(0), generation: 1, seal: Buffer.alloc(0) }

/** Inserts a row without its seal, since the sealed record contains the id: see `sealNewUser`. */
export async function insertUser(tx: Tx, user: NewUserRow): Promise<User> {
  const counts = { failedLogins: 0, lastFailedLoginAt: null, recoveries: 0 }
  const row = { ...user, service: user.service ?? null, ...counts, ...unsealed, searchText: searchTextOf(user) }
  return { ...row, id: await insertRow(tx, UserTable, row) }
}

/** Changes columns that the seal does not cover. The others are changed by `changeUser` only. */
export async function updateUser(tx: Tx, user: User, changes: Partial<User>): Promise<User> {
  const changed = { ...user, ...changes }
  const next = { ...changes, searchText: searchTextOf(changed) }
  await tx.update(UserTable, { id: user.id }, next)
  return { ...changed, ...next }
}

/** Users and service accounts in the order of their ids, after the id `after`. */
export function usersAfter(reader: Reader, after: number, most: number): Promise<User[]> {
  return reader.find(UserTable, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: most })
}

export function listUsers(reader: Reader): Promise<User[]> {
  return reader.find(UserTable, { order: { id: 'ASC' } })
}

/** Locks the user until the transaction ends. False when there is no such user. */
export async function lockUser(tx: Tx, userId: number): Promise<boolean> {
  return (await tx.update(UserTable, { id: userId }, { capabilities: () => 'capabilities' })).affected === 1
}

export async function usersById(reader: Reader, ids: readonly number[]): Promise<User[]> {
  const found: User[] = []
  for (const some of groupsOf(ids, idsAtOnce)) found.push(...(await reader.findBy(UserTable, { id: In(some) })))
  return found
}

/** Databases refuse statements with more than some ten thousand values. */
const idsAtOnce = 1_000

export function findUserById(reader: Reader, id: number): Promise<User | null> {
  return findRow(reader, UserTable, { id })
}

/** Whether a row of users is that of a person. */
export const isPerson = ({ service }: Pick<User, 'service'>): boolean => service === null

/** The person of this id, not a service account. @throws Fault `user.not_found` */
export async function personById(reader: Reader, id: number): Promise<User> {
  return person(await findUserById(reader, id))
}

/** Locks the row and reads it; null where there is none. */
export async function lockedRow(tx: Tx, userId: number): Promise<User | null> {
  return (await lockUser(tx, userId)) ? findUserById(tx, userId) : null
}

/** Locks and reads the row of a person, not of a service account. @throws Fault `user.not_found` */
export async function lockedUser(tx: Tx, userId: number): Promise<User> {
  return person(await lockedRow(tx, userId))
}

function person(row: User | null): User {
  if (row === null || !isPerson(row)) throw new Fault('user.not_found')
  return row
}

export function findUserByIdentity(reader: Reader, identity: Buffer): Promise<User | null> {
  return reader.findOneBy(UserTable, { identity })
}

/** In the order in which they were made. */
export function listServices(reader: Reader): Promise<User[]> {
  return reader.find(UserTable, { where: { service: isSet() }, order: { id: 'ASC' } })
}

/** `mayLogIn` as an SQL condition. */
export const logsIn = (user: string): string =>
  `(${user}.capabilities & ${capabilitiesOf(['active', 'escrow'])}) = ${capabilitiesOf(['active'])}`

/** Whether there is an active administrator other than this one. */
export function hasOtherAdministrator(tx: Tx, userId: number): Promise<boolean> {
  return tx
    .createQueryBuilder(UserTable, 'user')
    .where('user.id <> :userId AND (user.capabilities & :looked) = :wanted', {
      userId,
      looked: capabilitiesOf(['active', 'admin', 'escrow']),
      wanted: capabilitiesOf(['active', 'admin']),
    })
    .getExists()
}

/**
 * Makes changes of users wait for each other until the transaction ends, by locking one row that every appliance has. A
 * SELECT after it sees all other changes of administrators. (SQLite has one writer at a time anyway.)
 */
export async function holdUsers(tx: Tx): Promise<void> {
  await tx.query('UPDATE users SET created_at = created_at WHERE id = (SELECT min(id) FROM users)')
}

/** A user as lists show them. */
export interface ListedUser extends Pick<
  User,
  'id' | 'username' | 'fullname' | 'email' | 'capabilities' | 'fingerprint'
> {
  /** Public ids of the user's hardware tokens, in the order in which they were registered. */
  readonly otpPrefixes: readonly string[]
}

/** Persons by id, or those whose text matches a pattern of `searchPattern`, in the order of their ids. */
export function selectUsers(
  reader: Reader,
  where: { readonly id: number } | { readonly pattern: string },
): Promise<ListedUser[]> {
  if ('id' in where) return listedUsers(reader, 'u.id = $1 AND u.service IS NULL', [where.id])
  return readInPages(reader, (after, most) => selectUserPage(reader, where.pattern, { after, most }))
}

/** At most `most` of those whose text matches the pattern and whose id is higher than `after`. */
export const selectUserPage = (reader: Reader, pattern: string, { after, most }: UserPage): Promise<ListedUser[]> =>
  listedUsers(reader, `u.id IN (${withText})`, [pattern, after, most])

export interface UserPage {
  readonly after: number
  readonly most: number
}

async function listedUsers(reader: Reader, where: string, parameters: readonly unknown[]): Promise<ListedUser[]> {
  const rows = await select<ListedRow>(reader, `${listed} WHERE ${where} ORDER BY u.id, d.id`, parameters)
  const users: (ListedUser & { otpPrefixes: string[] })[] = []
  for (const { public_id: prefix, ...user } of rows) {
    if (users.at(-1)?.id !== user.id) users.push({ ...user, otpPrefixes: [] })
    if (prefix !== null) users.at(-1)?.otpPrefixes.push(prefix)
  }
  return users
}

type ListedRow = Omit<ListedUser, 'otpPrefixes'> & { readonly public_id: string | null }

const listed = `SELECT u.id, u.username, u.fullname, u.email, u.capabilities, u.fingerprint, d.public_id
  FROM users u LEFT JOIN otp_devices d ON d.user_id = u.id AND d.kind = 'hwkey_otp'`
/**
 * On SQLite this reads only indices (of the search texts and of service accounts), not the rows, which have some 4 KiB
 * each.
 */
const withText = `SELECT t.id FROM users t WHERE t.search_text LIKE $1 ESCAPE '\\' AND t.id > $2
  AND t.id NOT IN (SELECT s.id FROM users s WHERE s.service IS NOT NULL) ORDER BY t.id LIMIT $3`

/** The login name has a line of its own, before the text that everyone may search. */
function searchTextOf({ username, fullname, email }: Pick<User, 'username' | 'fullname' | 'email'>): string {
  return folded(`${username}\n${fullname}\n${email}`)
}

/** Folded here and not by SQL: lower() knows only ASCII in SQLite, and the locale's letters in PostgreSQL. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase()

/** Matches users that hold `text` in full name or e-mail address, and in their login name where `inNames` is set. */
export function searchPattern(text: string, inNames: boolean): string {
  const literal = folded(text).replaceAll(/[\\%_]/g, '\\$&')
  return inNames || text === '' ? `%${literal}%` : `%\n%${literal}%`
}
