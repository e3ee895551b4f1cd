import { EntitySchema, LessThan } from 'typeorm'
import type { UsedUp } from '../../hsm/login-request.ts'
import { bytes, named, primary, time } from '../../store/columns.ts'
import type { Tx } from '../../store/store.ts'

/**
 * Assertions that began a session, at whatever machine: the row decides between machines, of which each keeper remembers
 * its own.
 */
export const UsedAssertionTable = new EntitySchema<UsedUp>({
  name: 'UsedAssertion',
  tableName: 'used_assertions',
  columns: { assertion: primary(bytes), goodUntil: named('good_until', time) },
})

/** Clocks of machines may differ by this. */
const keptLongerMs = 3_600_000

/** Rejects with `store.conflict` where it was used before. */
export async function insertUsedAssertion(tx: Tx, { assertion, goodUntil }: UsedUp, now: number): Promise<void> {
  await tx.delete(UsedAssertionTable, { goodUntil: LessThan(now - keptLongerMs) })
  await tx.insert(UsedAssertionTable, { assertion, goodUntil })
}
