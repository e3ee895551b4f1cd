import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { explainRefusal, memberCommand, vaultId } from './members.ts'

const help = `
A membership is put on hold when another person sets the user's pass phrase or gives the user a second factor
(strongroom vault members). Make sure first that the user, and no one else, has both. Refused while an Admin of the
vault can confirm the user: one who can log in, is not on hold, and gave the user nothing. The audit trail records
who was confirmed.

Example:
  strongroom vault confirm 31 alice`

export function addVaultConfirm(vault: Command): void {
  memberCommand(vault, 'confirm', 'login name of the member')
    .description('confirm a member on hold when no Admin of the vault can')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, text: string, username: string, { missing }: { missing: string }) => {
        const id = vaultId(text)
        await withAppliance(invocation, ({ change, services }) =>
          change('vault.confirm', `vault ${id} user ${username}`, async (commit) => {
            const user = await services.users.findMember(username)
            const member = { vaultId: id, userId: user.id }
            await services.memberships
              .confirmByOperator(member, Number(missing), commit)
              .catch((error: unknown) => explainRefusal(error, id, 'vault.has_confirmer', `confirm ${username}`))
          }),
        )
        return { json: { id, confirmed: username }, lines: [`${username} has vault ${id} again.`] }
      }),
    )
}
