import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
For a card that was lost or given back. The user's open sessions end.

Example:
  strongroom usercert remove alice`

export function addUserCertificateRemove(usercert: Command): void {
  usercert
    .command('remove')
    .description('take the smartcard from a user')
    .argument('<user>', 'login name')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string) => {
        await withAppliance(invocation, ({ change, services }) =>
          change('usercert.remove', `user ${username}`, async (commit) =>
            services.certificates.remove((await services.users.find(username)).id, commit),
          ),
        )
        return { json: { username }, lines: [`User ${username} can no longer log in by smartcard.`] }
      }),
    )
}
