import type { Command } from 'commander'
import { capabilityText, namesOf } from '../../access/capabilities.ts'
import { loadConfig } from '../../config/loader.ts'
import { isPerson, listUsers } from '../../features/users/records.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

export function addUserList(user: Command): void {
  user
    .command('list')
    .description('list all users')
    .addHelpText('after', '\nExample:\n  strongroom user list')
    .action(
      answering(async ({ config }) => {
        const users = await withStore(loadConfig(config), async (store) =>
          (await listUsers(store.read)).filter(isPerson),
        )
        return {
          json: users.map(({ id, username, fullname, email, capabilities, createdAt }) => ({
            id,
            username,
            fullname,
            email,
            capabilities: namesOf(capabilities),
            createdAt,
          })),
          lines: table([
            ['ID', 'NAME', 'FULL NAME', 'SINCE (UTC)', 'CAPABILITIES'],
            ...users.map((user) => [
              String(user.id),
              user.username,
              user.fullname,
              dateOf(user.createdAt),
              capabilityText(user.capabilities),
            ]),
          ]),
        }
      }),
    )
}
