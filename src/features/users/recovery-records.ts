import { EntitySchema, MoreThan } from 'typeorm'
import { integer, named, primary, time } from '../../store/columns.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** A recovery: another person set the user's pass phrase or gave a second factor. */
export interface RecoveryRow {
  readonly userId: number
  /** Counts from 1 for each user. */
  readonly number: number
  /** `operatorId` for the console. */
  readonly recoveredBy: number
  readonly recoveredAt: number
}

export const RecoveryTable = new EntitySchema<RecoveryRow>({
  name: 'Recovery',
  tableName: 'user_recoveries',
  columns: {
    userId: named('user_id', primary(integer)),
    number: primary(integer),
    recoveredBy: named('recovered_by', integer),
    recoveredAt: named('recovered_at', time),
  },
})

export async function insertRecovery(tx: Tx, recovery: RecoveryRow): Promise<void> {
  await tx.insert(RecoveryTable, recovery)
}

/** The recoveries of a user after this number, in their order. */
export function recoveriesAfter(reader: Reader, userId: number, number: number): Promise<RecoveryRow[]> {
  return reader.find(RecoveryTable, { where: { userId, number: MoreThan(number) }, order: { number: 'ASC' } })
}

/**
 * SQL condition: a membership is on hold, because its user was recovered since an Admin of the vault admitted or
 * confirmed them. In the statement the user is `u`.
 */
export const onHold = (membership: string): string => `${membership}.recoveries < u.recoveries`

export async function countOnHold(reader: Reader, userId: number): Promise<number> {
  const [counted] = await select<{ on_hold: number }>(
    reader,
    `SELECT count(*) AS on_hold FROM vault_members m JOIN users u ON u.id = m.user_id
     WHERE u.id = $1 AND ${onHold('m')}`,
    [userId],
  )
  return counted?.on_hold ?? 0
}
