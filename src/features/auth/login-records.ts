import { EntitySchema, In, IsNull, LessThan, MoreThanOrEqual } from 'typeorm'
import type { ResponseVersion } from '../../access/caller.ts'
import { bytes, id, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { findRow } from '../../store/statement.ts'
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
  readonly responseVersion: ResponseVersion
  /** 16 random bytes that the keeper drew. */
  readonly identity: Buffer
  /** See `record-generation.ts`. */
  readonly generation: number
  /** Over `applicationKeyRecord`; empty in a row of before that was not taken over. */
  readonly seal: Buffer
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
    responseVersion: named('shapes', text),
    identity: bytes,
    generation: integer,
    seal: bytes,
  },
})

export async function insertApplicationKey(tx: Tx, key: Omit<ApplicationKey, 'id'>): Promise<ApplicationKey> {
  const inserted = await tx.insert(ApplicationKeyTable, key)
  return { ...key, id: Number(inserted.identifiers[0]?.['id']) }
}

export function listApplicationKeys(reader: Reader): Promise<ApplicationKey[]> {
  return reader.find(ApplicationKeyTable, { order: { id: 'ASC' } })
}

/** By one of its checks. */
export function findActiveApplicationKey(reader: Reader, checks: readonly Buffer[]): Promise<ApplicationKey | null> {
  return reader.findOneBy(ApplicationKeyTable, { keyCheck: In([...checks]), revokedAt: IsNull() })
}

export function findRevocable(tx: Tx, name: string): Promise<ApplicationKey | null> {
  return tx.findOneBy(ApplicationKeyTable, { name, revokedAt: IsNull() })
}

/** False where it was revoked meanwhile. */
export async function revokeApplicationKey(
  tx: Tx,
  id: number,
  revoked: Pick<ApplicationKey, 'revokedAt' | 'generation' | 'seal'>,
): Promise<boolean> {
  return (await tx.update(ApplicationKeyTable, { id, revokedAt: IsNull() }, revoked)).affected === 1
}

export function findApplicationKeyById(reader: Reader, id: number): Promise<ApplicationKey | null> {
  return findRow(reader, ApplicationKeyTable, { id })
}

export async function setResponseVersion(tx: Tx, name: string, responseVersion: ResponseVersion): Promise<boolean> {
  return (await tx.update(ApplicationKeyTable, { name, revokedAt: IsNull() }, { responseVersion })).affected === 1
}

/** The failed attempts that one limit of the throttle has counted, and until when it refuses more unchecked. */
export interface LoginAttempts {
  /** See `Limit.key`. */
  readonly limitKey: string
  readonly failures: number
  readonly lastAt: number
  readonly blockedUntil: number
}

export const LoginAttemptsTable = new EntitySchema<LoginAttempts>({
  name: 'LoginAttempts',
  tableName: 'login_attempts',
  columns: {
    limitKey: named('subject', primary(text)),
    failures: integer,
    lastAt: named('last_at', time),
    blockedUntil: named('blocked_until', time),
  },
})

/** Which counts are forgotten, by when they were last counted. */
export interface ForgottenAttempts {
  /** How many are few. */
  readonly few: number
  readonly fewBefore: number
  /** However many they are. */
  readonly allBefore: number
}

/** What a limit has counted, nothing where it has no row. The row stays locked until the transaction ends, so parallel attempts are counted one by one. */
export async function lockAttempts(tx: Tx, limitKey: string, now: number): Promise<LoginAttempts> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(LoginAttemptsTable)
    .values({ limitKey, failures: 0, lastAt: now, blockedUntil: 0 })
    // Changes nothing, and locks.
    .orUpdate(['subject'], ['subject'])
    .execute()
  return tx.findOneByOrFail(LoginAttemptsTable, { limitKey })
}

export async function replaceAttempts(tx: Tx, { limitKey, ...attempts }: LoginAttempts): Promise<void> {
  await tx.update(LoginAttemptsTable, { limitKey }, attempts)
}

export async function forgetAttempts(tx: Tx, limitKey: string): Promise<void> {
  await tx.delete(LoginAttemptsTable, { limitKey })
}

/** A network from which a user has logged in. */
export interface LoginNetwork {
  readonly userId: number
  /** By `networkOf`. */
  readonly network: string
  readonly lastAt: number
}

export const LoginNetworkTable = new EntitySchema<LoginNetwork>({
  name: 'LoginNetwork',
  tableName: 'login_places',
  columns: { userId: named('user_id', primary(integer)), network: primary(text), lastAt: named('last_at', time) },
})

export function isKnownNetwork(tx: Tx, userId: number, network: string, since: number): Promise<boolean> {
  return tx.existsBy(LoginNetworkTable, { userId, network, lastAt: MoreThanOrEqual(since) })
}

/** Whether any user has logged in from the network since. */
export function isFamiliarNetwork(reader: Reader, network: string, since: number): Promise<boolean> {
  return reader.existsBy(LoginNetworkTable, { network, lastAt: MoreThanOrEqual(since) })
}

/** Remembers the network, and forgets those from which the user last logged in before `before`. */
export async function rememberNetwork(tx: Tx, network: LoginNetwork, before: number): Promise<void> {
  await tx.upsert(LoginNetworkTable, network, ['userId', 'network'])
  await tx.delete(LoginNetworkTable, { userId: network.userId, lastAt: LessThan(before) })
}

/** Resolves to how many there were, `most` at a time. */
export async function sweepAttempts(tx: Tx, forgotten: ForgottenAttempts, most: number): Promise<number> {
  // Begins with what both have in common, by the index.
  const stale = await tx
    .createQueryBuilder(LoginAttemptsTable, 'a')
    .select('a.limitKey')
    .where('a.lastAt < :fewBefore')
    .andWhere('(a.failures <= :few OR a.lastAt < :allBefore)')
    .setParameters({ ...forgotten })
    .orderBy('a.lastAt', 'ASC')
    .take(most)
    .getMany()
  const keys = stale.map(({ limitKey }) => limitKey)
  // Of one that was counted again meanwhile nothing is forgotten.
  if (keys.length > 0)
    await tx.delete(LoginAttemptsTable, { limitKey: In(keys), lastAt: LessThan(forgotten.fewBefore) })
  return stale.length
}
