import { EntitySchema, In, LessThan, MoreThanOrEqual } from 'typeorm'
import { integer, named, primary, text, time } from '../../store/columns.ts'
import { change, changeRow, placeholdersOf, readRow, select, selectList } from '../../store/statement.ts'
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
  const [row] = await select<object>(tx, lockedAttempts, [limitKey, now])
  if (row === undefined) throw new TypeError('the database does not return the row that it was given')
  return readRow(LoginAttemptsTable, row)
}

/** An update that changes nothing but locks the row. */
const lockedAttempts = `INSERT INTO login_attempts (subject, failures, last_at, blocked_until) VALUES ($1, 0, $2, 0)
  ON CONFLICT (subject) DO UPDATE SET subject = excluded.subject RETURNING ${selectList(LoginAttemptsTable, 'login_attempts')}`

export async function replaceAttempts(tx: Tx, { limitKey, ...attempts }: LoginAttempts): Promise<void> {
  await changeRow(tx, LoginAttemptsTable, { limitKey }, attempts)
}

export async function forgetAttempts(tx: Tx, limitKeys: readonly string[]): Promise<void> {
  await change(tx, `DELETE FROM login_attempts WHERE subject IN (${placeholdersOf(limitKeys)})`, limitKeys)
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
  const { userId, lastAt } = network
  await change(tx, rememberedNetwork, [userId, network.network, lastAt])
  await change(tx, 'DELETE FROM login_places WHERE user_id = $1 AND last_at < $2', [userId, before])
}

const rememberedNetwork = `INSERT INTO login_places (user_id, network, last_at) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, network) DO UPDATE SET last_at = excluded.last_at`

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
