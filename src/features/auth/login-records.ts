import { EntitySchema, IsNull, LessThan, LessThanOrEqual, MoreThanOrEqual } from 'typeorm'
import type { ResponseVersion } from '../../access/response-version.ts'
import { bytes, id, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** The key of one application, shared by all its users. */
export interface ApplicationKey {
  readonly id: number
  readonly name: string
  /** HMAC in the token of the key: 32 bytes. */
  readonly keyCheck: Buffer
  readonly createdAt: number
  readonly revokedAt: number | null
  /** What answers to it look like. */
  readonly shapes: ResponseVersion
}

export const ApplicationKeyTable = new EntitySchema<ApplicationKey>({
  name: 'ApplicationKey',
  tableName: 'application_keys',
  columns: {
    id,
    name: text,
    keyCheck: named('key_check', bytes),
    createdAt: named('created_at', time),
    revokedAt: named('revoked_at', nullable(time)),
    shapes: text,
  },
})

export async function insertApplicationKey(tx: Tx, key: Omit<ApplicationKey, 'id'>): Promise<ApplicationKey> {
  const inserted = await tx.insert(ApplicationKeyTable, key)
  return { ...key, id: Number(inserted.identifiers[0]?.['id']) }
}

export function listApplicationKeys(reader: Reader): Promise<ApplicationKey[]> {
  return reader.find(ApplicationKeyTable, { order: { id: 'ASC' } })
}

export function findActiveApplicationKey(reader: Reader, keyCheck: Buffer): Promise<ApplicationKey | null> {
  return reader.findOneBy(ApplicationKeyTable, { keyCheck, revokedAt: IsNull() })
}

export async function revokeApplicationKey(tx: Tx, name: string, now: number): Promise<boolean> {
  return (await tx.update(ApplicationKeyTable, { name, revokedAt: IsNull() }, { revokedAt: now })).affected === 1
}

export async function setApplicationKeyShapes(tx: Tx, name: string, shapes: ResponseVersion): Promise<boolean> {
  return (await tx.update(ApplicationKeyTable, { name, revokedAt: IsNull() }, { shapes })).affected === 1
}

/** How often a login was refused for one account or from one address, and until when it is not even looked at. */
export interface LoginAttempts {
  readonly subject: string
  readonly failures: number
  readonly lastAt: number
  readonly blockedUntil: number
}

export const LoginAttemptsTable = new EntitySchema<LoginAttempts>({
  name: 'LoginAttempts',
  tableName: 'login_attempts',
  columns: {
    subject: primary(text),
    failures: integer,
    lastAt: named('last_at', time),
    blockedUntil: named('blocked_until', time),
  },
})

/**
 * Counts one attempt, unless the subject is blocked at this moment; resolves to the count, or to undefined when blocked.
 * The row stays locked until the transaction ends, so parallel attempts are counted one by one.
 */
export async function countAttempt(
  tx: Tx,
  subject: string,
  now: number,
  forgetBefore: number,
): Promise<number | undefined> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(LoginAttemptsTable)
    .values({ subject, failures: 0, lastAt: now, blockedUntil: 0 })
    .orIgnore()
    .execute()
  const counted = await tx
    .createQueryBuilder()
    .update(LoginAttemptsTable)
    .set({ failures: () => 'CASE WHEN last_at < :forgetBefore THEN 1 ELSE failures + 1 END', lastAt: now })
    .setParameters({ forgetBefore })
    .where({ subject, blockedUntil: LessThanOrEqual(now) })
    .execute()
  if (counted.affected === 1) return (await tx.findOneByOrFail(LoginAttemptsTable, { subject })).failures
  if ((await blockedUntil(tx, subject)) > now) return undefined
  // A success elsewhere has forgotten the row between the two statements (PostgreSQL alone lets it).
  return countAttempt(tx, subject, now, forgetBefore)
}

export async function blockUntil(tx: Tx, subject: string, blockedUntil: number): Promise<void> {
  await tx.update(LoginAttemptsTable, { subject }, { blockedUntil })
}

export async function blockedUntil(tx: Tx, subject: string): Promise<number> {
  return (await tx.findOneBy(LoginAttemptsTable, { subject }))?.blockedUntil ?? 0
}

export async function forgetAttempts(tx: Tx, subject: string): Promise<void> {
  await tx.delete(LoginAttemptsTable, { subject })
}

/** A place from which a user has logged in. */
export interface LoginPlace {
  readonly userId: number
  /** By `networkOf`. */
  readonly network: string
  readonly lastAt: number
}

export const LoginPlaceTable = new EntitySchema<LoginPlace>({
  name: 'LoginPlace',
  tableName: 'login_places',
  columns: { userId: named('user_id', primary(integer)), network: primary(text), lastAt: named('last_at', time) },
})

export function isFamiliar(tx: Tx, userId: number, network: string, since: number): Promise<boolean> {
  return tx.existsBy(LoginPlaceTable, { userId, network, lastAt: MoreThanOrEqual(since) })
}

/** Remembers the place, and forgets those of the user that were last seen before `before`. */
export async function rememberPlace(tx: Tx, place: LoginPlace, before: number): Promise<void> {
  await tx.upsert(LoginPlaceTable, place, ['userId', 'network'])
  await tx.delete(LoginPlaceTable, { userId: place.userId, lastAt: LessThan(before) })
}

export async function sweepAttempts(tx: Tx, before: number): Promise<void> {
  await tx.delete(LoginAttemptsTable, { lastAt: LessThan(before) })
}
