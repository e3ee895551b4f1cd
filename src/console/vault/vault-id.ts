import { decimalId } from '../../access/decimal-id.ts'
import { Fault } from '../../fault.ts'

/** @throws Fault `vault.not_found` for what can be the id of no vault */
export function vaultId(text: string): number {
  return decimalId(text) ?? noVault(text)
}

export function noVault(id: string | number): never {
  throw new Fault('vault.not_found', `There is no vault ${id}: see strongroom vault list.`)
}
