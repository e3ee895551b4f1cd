import { EntitySchema } from 'typeorm'
import type { MembershipKey } from '../../access/permission.ts'
import { integer, named, primary, text } from '../../store/columns.ts'
import type { Tx } from '../../store/store.ts'

/** The items of a day that workers have reserved under one entry of a member's grants. Deleted with the membership. */
export interface GrantUse extends MembershipKey {
  /** A hash of the entry without its limit, so that the count continues when the limit is changed. */
  readonly entry: string
  /** Days since the Unix epoch (UTC). */
  readonly day: number
  readonly used: number
}

export const GrantUseTable = new EntitySchema<GrantUse>({
  name: 'GrantUse',
  tableName: 'grant_uses',
  columns: {
    vaultId: named('vault_id', primary(integer)),
    userId: named('user_id', primary(integer)),
    entry: primary(text),
    day: integer,
    used: integer,
  },
})

export interface DailyReservation {
  /** Fails where fewer than this are left. */
  readonly atLeast: number
  /** Reserves up to this many. */
  readonly wanted: number
  /** The daily limit. */
  readonly most: number
}

/**
 * Reserves items; the row is locked until the transaction ends. Once the clock of one machine has begun a new day, it
 * has begun for all.
 */
export async function reserveUses(
  tx: Tx,
  { vaultId, userId, entry }: Omit<GrantUse, 'day' | 'used'>,
  today: number,
  { atLeast, wanted, most }: DailyReservation,
): Promise<{ readonly day: number; readonly count: number }> {
  const key = { vaultId, userId, entry }
  await tx
    .createQueryBuilder()
    .insert()
    .into(GrantUseTable)
    .values({ ...key, day: today, used: 0 })
    .orIgnore()
    .execute()
  await tx
    .createQueryBuilder()
    .update(GrantUseTable)
    .set({ used: () => 'used' })
    .where(key)
    .execute()
  const row = await tx.findOneByOrFail(GrantUseTable, key)
  const day = Math.max(row.day, today)
  const used = row.day < today ? 0 : row.used
  const left = most - used
  const count = left < atLeast ? 0 : Math.min(wanted, left)
  await tx.update(GrantUseTable, key, { day, used: used + count })
  return { day, count }
}
