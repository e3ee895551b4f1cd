import { EntitySchema, In, LessThan, MoreThanOrEqual } from 'typeorm'
import { integer, named, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/**
 * The failed attempts that one limit of the throttle has counted, and the time until which it refuses further ones
 * unchecked.
 */
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

/** Which counts a sweep may delete, by the time of the last attempt. */
export interface ForgottenAttempts {
  /** Up to this number of failures, `fewBefore` applies. */
  readonly few: number
  readonly fewBefore: number
  /** Applies to any number of failures. */
  readonly allBefore: number
}

/**
 * The attempts that a limit has counted; zero where it has no row. The row stays locked until the transaction ends, so
 * that parallel attempts are counted one by one.
 */
export async function lockAttempts(tx: Tx, limitKey: string, now: number): Promise<LoginAttempts> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(LoginAttemptsTable)
    .values({ limitKey, failures: 0, lastAt: now, blockedUntil: 0 })
    // An update that changes nothing but locks the row.
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
  /** Form of `networkOf`. */
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

/** Whether any user has logged in from the network since that time. */
export function isFamiliarNetwork(reader: Reader, network: string, since: number): Promise<boolean> {
  return reader.existsBy(LoginNetworkTable, { network, lastAt: MoreThanOrEqual(since) })
}

/** Remembers the network, and forgets the user's networks whose last login was before `before`. */
export async function rememberNetwork(tx: Tx, network: LoginNetwork, before: number): Promise<void> {
  await tx.upsert(LoginNetworkTable, network, ['userId', 'network'])
  await tx.delete(LoginNetworkTable, { userId: network.userId, lastAt: LessThan(before) })
}

/** Deletes at most `most` counts; resolves to how many it found. */
export async function sweepAttempts(tx: Tx, forgotten: ForgottenAttempts, most: number): Promise<number> {
  // Begins with the condition that both cases share, so that the index serves it.
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
  // Skips rows that were counted again after they were selected.
  if (keys.length > 0)
    await tx.delete(LoginAttemptsTable, { limitKey: In(keys), lastAt: LessThan(forgotten.fewBefore) })
  return stale.length
}
