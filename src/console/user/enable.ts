import type { Command } from 'commander'
import { activated } from '../../features/users/user-change.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Pass phrase and second factors are those from before; sessions that ended stay ended.

Example:
  strongroom user enable alice`

export function addUserEnable(user: Command): void {
  user
    .command('enable')
    .description('give a user the capability to log in again')
    .argument('<name>', 'login name')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string) => {
        await withAppliance(invocation, ({ change, services: { users } }) =>
          change('user.enable', `user ${username}`, async (commit) =>
            users.change((await users.find(username)).id, { capabilities: activated }, commit),
          ),
        )
        return { json: { username, active: true }, lines: [`User ${username} can log in.`] }
      }),
    )
}
