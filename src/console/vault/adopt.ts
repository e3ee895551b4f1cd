import type { Command } from 'commander'
import { Fault, isFault } from '../../fault.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { noVault, vaultId } from './members.ts'

const help = `
For a vault whose Admins are all disabled. It is refused while one of them can log in: administrators have no way
into vaults that are not shared with them. The audit trail records who was given the vault, and by whom.

Example:
  strongroom vault adopt 31 alice`

export function addVaultAdopt(vault: Command): void {
  vault
    .command('adopt')
    .description('give a new Admin to a vault that has none who can log in')
    .argument('<id>', 'id of the vault: strongroom vault list')
    .argument('<user>', 'login name of the new Admin')
    .option('--missing <number>', 'goes on although as many rows are missing as a call without it has said', '0')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, text: string, username: string, { missing }: { missing: string }) => {
        const id = vaultId(text)
        await withAppliance(invocation, ({ change, services }) =>
          change('vault.adopt', `vault ${id} user ${username}`, async (commit) => {
            const user = await services.users.find(username)
            await services.memberships
              .adopt({ vaultId: id, userId: user.id }, Number(missing), commit)
              .catch((error: unknown) => {
                if (isFault(error, 'vault.not_found')) noVault(id)
                if (!isFault(error, 'vault.has_admin')) throw error
                throw new Fault(
                  error.code,
                  `Vault ${id} has an Admin who can log in (strongroom vault members ${id}): ask that Admin.`,
                )
              })
          }),
        )
        return { json: { id, admin: username }, lines: [`${username} is Admin of vault ${id} now.`] }
      }),
    )
}
