import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Open sessions of the user end at their next call. Users are never deleted, so that the audit trail keeps its names.

Example:
  strongroom user disable alice`

export function addUserDisable(user: Command): void {
  user
    .command('disable')
    .description('take the capability to log in away from a user')
    .argument('<name>', 'login name')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string) => {
        await withAppliance(invocation, ({ change, services }) =>
          change('user.disable', `user ${username}`, (commit) => services.users.disable(username, commit)),
        )
        return { json: { username, active: false }, lines: [`User ${username} can no longer log in.`] }
      }),
    )
}
