import type { Command } from 'commander'
import { decodeBase64 } from '../../encoding/base64.ts'
import { Fault, isFault } from '../../fault.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { noVault, vaultId } from './members.ts'

const help = `
A backup of a key goes back into its own vault by itself, and into another one by an Admin of both. This is for
all others: of another appliance with the same backup keys, of a vault that is gone, and made before backups
named their vault. Make sure that the members of the vault may have the key: anyone who has Write there can then
restore it.

Example:
  strongroom vault accept-backup 31 ledgers.backup`

export function addVaultAcceptBackup(vault: Command): void {
  vault
    .command('accept-backup')
    .description('let one backup of a key into a vault that it is not of')
    .argument('<id>', 'id of the vault: strongroom vault list')
    .argument('<file>', 'file with the backup, as the interface gave it (base64)')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, text: string, file: string) => {
        const id = vaultId(text)
        const backup = decodeBase64((await invocation.terminal.readInput(file)).toString().trim())
        if (backup === undefined) throw new Fault('backup.invalid', `${file} holds no base64.`)
        const origin = await withAppliance(invocation, ({ change, services }) =>
          change('vault.accept_backup', `vault ${id} backup`, (commit) =>
            services.keyBackups.accept(id, backup, commit).catch((error: unknown) => {
              if (isFault(error, 'vault.not_found')) noVault(id)
              throw error
            }),
          ),
        )
        const from = origin === undefined ? 'a vault that it does not name' : `the vault ${origin.vault}`
        return {
          json: { id, origin: origin ?? null },
          lines: [`The backup of ${from} may be restored in vault ${id}.`],
        }
      }),
    )
}
