import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { explainTaken } from '../interrupted-run.ts'
import { answering } from '../invocation.ts'
import { addressesOf, describeService, endOf } from './describe.ts'

const help = `
The account has no credential yet: strongroom service credential-add. An Admin of a vault then makes it a member,
as any user. Its owner may change it through the interface; what others give it puts its memberships on hold.

Example:
  strongroom service create mail-form --owner alice --address 192.0.2.0/24 --expires 2027-12-31`

interface Options {
  readonly owner: string
  readonly description: string
  readonly address?: readonly string[]
  readonly expires?: string
}

export function addServiceCreate(service: Command): void {
  service
    .command('create')
    .description('make an account for an application that runs unattended')
    .argument('<name>', 'name of the account: 3 to 64 letters, digits and - _ .')
    .requiredOption('--owner <user>', 'login name of the user who changes it')
    .option('--description <text>', 'what it is for, 128 characters at most', '')
    .option('--address <range...>', 'IP addresses and ranges from which it calls; without it, any')
    .option('--expires <time>', 'when it ends: 2027-12-31, or never', 'never')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string, { owner, description, address, expires }: Options) => {
        const settings = { name, description, addresses: addressesOf(address) ?? [], expiresAt: endOf(expires) ?? null }
        const made = await withAppliance(invocation, ({ change, services: { serviceAccounts, users } }) =>
          change('service.create', `service ${name}`, async (commit) =>
            serviceAccounts
              .create({ ...settings, owner: (await users.find(owner)).id }, commit)
              .catch((error: unknown) => explainTaken(error, 'the account', `see strongroom service show ${name}`)),
          ),
        )
        return describeService(made, `Service account ${name} made:`)
      }),
    )
}
