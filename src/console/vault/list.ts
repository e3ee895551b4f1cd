import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import { summariesOf } from '../../features/vaults/membership-records.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
A vault with no Admin who can log in keeps working, but its members cannot be changed: see strongroom vault adopt.

Example:
  strongroom vault list`

export function addVaultList(vault: Command): void {
  vault
    .command('list')
    .description('list all vaults, and nothing of what is in them')
    .addHelpText('after', help)
    .action(
      answering(async ({ config }) => {
        const vaults = await withStore(loadConfig(config), (store) => summariesOf(store.read))
        return {
          json: vaults,
          lines: table([
            ['ID', 'SINCE (UTC)', 'MEMBERS', 'ACTIVE ADMINS', 'NAME'],
            ...vaults.map(({ id, createdAt, members, activeAdmins, name }) => [
              String(id),
              dateOf(createdAt),
              String(members),
              String(activeAdmins),
              name,
            ]),
          ]),
        }
      }),
    )
}
