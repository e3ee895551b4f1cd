import { EntitySchema } from 'typeorm'
import { integer, named, primary, text, time } from '../../store/columns.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** When a credential of a service account was last used. It is not sealed: it informs people and decides nothing. */
export interface ServiceUse {
  readonly userId: number
  /** Id of the credential. */
  readonly credential: string
  readonly usedAt: number
  readonly address: string
}

export const ServiceUseTable = new EntitySchema<ServiceUse>({
  name: 'ServiceUse',
  tableName: 'service_uses',
  columns: {
    userId: named('user_id', primary(integer)),
    credential: primary(text),
    usedAt: named('used_at', time),
    address: text,
  },
})

/** Least time between two notes, so that a thousand replicas that log in at once write the row once. */
const noteEveryMs = 60_000

export async function noteUse(tx: Tx, use: ServiceUse): Promise<void> {
  const { userId, credential, usedAt } = use
  const known = await tx.findOneBy(ServiceUseTable, { userId, credential })
  if (known !== null && Math.abs(usedAt - known.usedAt) < noteEveryMs) return
  await tx.upsert(ServiceUseTable, use, ['userId', 'credential'])
}

export function usesOf(reader: Reader, userId: number): Promise<ServiceUse[]> {
  return reader.findBy(ServiceUseTable, { userId })
}

/** All uses, by the id of the account. */
export async function allUses(reader: Reader): Promise<ReadonlyMap<number, readonly ServiceUse[]>> {
  const uses = new Map<number, ServiceUse[]>()
  for (const use of await reader.find(ServiceUseTable)) uses.set(use.userId, [...(uses.get(use.userId) ?? []), use])
  return uses
}
