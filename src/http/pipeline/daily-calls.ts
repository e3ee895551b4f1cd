import type { Caller, VaultAccess } from '../../access/caller.ts'
import { type DailyUse, limitedItems } from '../../access/daily-use.ts'
import { type AnyEndpoint, keyOperationOf } from '../contract/endpoint.ts'

/** The parts of a validated call that determine its number of items. */
interface CountedCall {
  readonly params: unknown
  readonly body: unknown
  readonly vault: VaultAccess | undefined
  readonly caller: Caller | undefined
}

/**
 * Counts the items of a narrowed member's call against the daily limits of the scope; in a batch one by one.
 * @throws Fault `access.used_up`, before anything is done
 */
export async function countItems(
  dailyUse: DailyUse,
  contract: AnyEndpoint,
  { params, body, vault, caller }: CountedCall,
): Promise<void> {
  const operation = keyOperationOf(contract)
  if (operation === undefined || vault === undefined || caller === undefined || vault.scope === null) return
  const name = textIn(params, 'name')
  const items = limitedItems(vault.scope, operation, name, aadsOf(body))
  if (items.length > 0) await dailyUse.spend({ vaultId: vault.id, userId: caller.userId }, items)
}

function aadsOf(body: unknown): (string | undefined)[] {
  const batch: unknown = isObject(body) ? body['batch_input'] : undefined
  return Array.isArray(batch) ? batch.map((item) => textIn(item, 'aad')) : [textIn(body, 'aad')]
}

function textIn(value: unknown, name: string): string | undefined {
  const text = isObject(value) ? value[name] : undefined
  return typeof text === 'string' ? text : undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
