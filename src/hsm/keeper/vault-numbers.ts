import { Fault } from '../../fault.ts'
import { outdated } from '../record-generation.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * The number of each vault, by which programs name it and which no seal covers. An attacker who writes to the database
 * could exchange the numbers of two vaults, and read in one what is written to the other from then on.
 */
export interface VaultNumbers {
  /**
   * Remembers the number by which a vault is first used.
   * @throws Fault `hsm.rejected` for what is no number; `hsm.outdated` where it is the number of another vault, or the vault has another number
   */
  check(number: number, vault: Buffer): void
  /** Forgets all numbers: the operator has accepted older records. */
  forget(): void
}

export function createVaultNumbers(state: KeeperState): VaultNumbers {
  state.exec('CREATE TABLE IF NOT EXISTS vault_numbers (number INTEGER PRIMARY KEY, vault BLOB NOT NULL UNIQUE) STRICT')
  const keep = state.prepare<[number, Buffer]>('INSERT INTO vault_numbers (number, vault) VALUES (?, ?)')
  const find = state.prepare<[number, Buffer], { readonly number: number; readonly vault: Buffer }>(
    'SELECT number, vault FROM vault_numbers WHERE number = ? OR vault = ?',
  )
  return {
    check(number, vault) {
      if (!Number.isSafeInteger(number) || number < 1)
        throw new Fault('hsm.rejected', 'This is not the number of a vault.')
      const known = find.all(number, vault)
      if (known.some((one) => one.number !== number || !one.vault.equals(vault)))
        throw outdated(`Vault ${number} is another vault than before`)
      if (known.length === 0) keep.run(number, vault)
    },
    forget: () => void state.exec('DELETE FROM vault_numbers'),
  }
}
