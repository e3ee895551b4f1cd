import { EntitySchema, LessThan } from 'typeorm'
import type { UsedUp } from '../../hsm/login-request.ts'
import { bytes, named, primary, time } from '../../store/columns.ts'
import { change } from '../../store/statement.ts'
import type { Tx } from '../../store/store.ts'

/**
 * Assertions that began a session or served as a second factor, on any machine. Each keeper remembers only the
 * assertions shown to it; this table decides between machines.
 */
export const UsedAssertionTable = new EntitySchema<UsedUp>({
  name: 'UsedAssertion',
  tableName: 'used_assertions',
  columns: { assertion: primary(bytes), goodUntil: named('good_until', time) },
})

/** Rows are kept this much longer than the assertion is valid, since clocks of machines may differ. */
const keptLongerMs = 3_600_000

/** False where it was used before. */
export async function useAssertionUp(tx: Tx, { assertion, goodUntil }: UsedUp, now: number): Promise<boolean> {
  await tx.delete(UsedAssertionTable, { goodUntil: LessThan(now - keptLongerMs) })
  return (await change(tx, useUp, [assertion.toString('base64'), goodUntil])) === 1
}

const useUp = 'INSERT INTO used_assertions (assertion, good_until) VALUES ($1, $2) ON CONFLICT DO NOTHING'
