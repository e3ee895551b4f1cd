import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { explainRefusal, memberCommand, vaultId } from './members.ts'

const help = `
For a vault whose Admins are all disabled. It is refused while one of them can log in: administrators have no way
into vaults that are not shared with them. The audit trail records who was given the vault, and by whom.

Example:
  strongroom vault adopt 31 alice`

export function addVaultAdopt(vault: Command): void {
  memberCommand(vault, 'adopt', 'login name of the new Admin')
    .description('give a new Admin to a vault that has none who can log in')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, text: string, username: string, { missing }: { missing: string }) => {
        const id = vaultId(text)
        await withAppliance(invocation, ({ change, services }) =>
          change('vault.adopt', `vault ${id} user ${username}`, async (commit) => {
            const user = await services.users.find(username)
            await services.memberships
              .adopt({ vaultId: id, userId: user.id }, Number(missing), commit)
              .catch((error: unknown) => explainRefusal(error, id, 'vault.has_admin', 'log in'))
          }),
        )
        return { json: { id, admin: username }, lines: [`${username} is Admin of vault ${id} now.`] }
      }),
    )
}
