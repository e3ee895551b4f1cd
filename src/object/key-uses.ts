import { Fault } from '../fault.ts'
import type { Tx } from '../store/store.ts'
import { countKeyUses } from '../vault/records.ts'
import { vaultKeyUses } from '../vault/vault-key.ts'

/**
 * Counts encryptions with the data key of a vault, in the transaction that writes what was encrypted.
 * @throws Fault `object.key_exhausted`, also where the vault is gone: nothing can be written into it either way
 */
export async function spendKeyUses(tx: Tx, vaultId: number, uses: number): Promise<void> {
  if (!(await countKeyUses(tx, vaultId, uses, vaultKeyUses))) throw new Fault('object.key_exhausted')
}
