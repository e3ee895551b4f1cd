import { Fault } from '../../fault.ts'
import type { Tx } from '../../store/store.ts'
import { countKeyUses, findVault } from '../vaults/records.ts'
import { vaultKeyUses } from '../vaults/vault-key.ts'

/**
 * Counts encryptions with the data key of a vault, in the transaction that writes what was encrypted.
 * @throws Fault `object.key_exhausted`, or `vault.not_found` where the vault has gone meanwhile
 */
export async function spendKeyUses(tx: Tx, vaultId: number, uses: number): Promise<void> {
  if (await countKeyUses(tx, vaultId, uses, vaultKeyUses)) return
  throw new Fault((await findVault(tx, vaultId)) === null ? 'vault.not_found' : 'object.key_exhausted')
}
