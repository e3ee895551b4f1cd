import type { Command } from 'commander'
import { operatorId } from '../../access/confirmation.ts'
import { withAppliance } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { answering } from '../invocation.ts'
import { addressesOf, describeService, endOf } from './describe.ts'

const help = `
What is not named stays as it is. Another owner, other addresses or another end put the memberships of the account
on hold until an Admin of each vault confirms them; its owner changes addresses and end without that.

Examples:
  strongroom service edit mail-form --expires 2028-12-31
  strongroom service edit mail-form --address any --owner bob`

interface Options {
  readonly owner?: string
  readonly description?: string
  readonly address?: readonly string[]
  readonly expires?: string
}

export function addServiceEdit(service: Command): void {
  service
    .command('edit')
    .description('change an account of an application')
    .argument('<name>', 'name of the account')
    .option('--owner <user>', 'login name of the user who changes it')
    .option('--description <text>', 'what it is for, 128 characters at most')
    .option('--address <range...>', 'IP addresses and ranges from which it calls; only the word any: all')
    .option('--expires <time>', 'when it ends: 2027-12-31, or never')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string, options: Options) => {
        const named = Object.keys(options)
        if (named.length === 0)
          throw new UsageError('Say what to change: --owner, --description, --address or --expires.')
        const { owner, description, address, expires } = options
        const settings = { description, addresses: addressesOf(address), expiresAt: endOf(expires) }
        const { service: changed, putsOnHold } = await withAppliance(invocation, ({ change, services }) =>
          change('service.edit', `service ${name}: ${named.join(', ')}`, async (commit) => {
            const { id } = await services.serviceAccounts.find(name)
            const ownerId = owner === undefined ? undefined : (await services.users.find(owner)).id
            return services.serviceAccounts.change(id, { ...settings, owner: ownerId }, operatorId, commit)
          }),
        )
        return describeService(changed, `Service account ${name} is now:`, putsOnHold)
      }),
    )
}
