import type { Command } from 'commander'
import { operatorId } from '../../access/confirmation.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Its sessions end at once. Its name stays taken, because the audit trail names it.

Example:
  strongroom service remove mail-form`

export function addServiceRemove(service: Command): void {
  service
    .command('remove')
    .description('disable an account, and take all its credentials away')
    .argument('<name>', 'name of the account')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string) => {
        await withAppliance(invocation, ({ change, services: { serviceAccounts } }) =>
          change('service.remove', `service ${name}`, async (commit) => {
            const { id } = await serviceAccounts.find(name)
            await serviceAccounts.remove(id, operatorId, commit)
          }),
        )
        return { json: { name, removed: true }, lines: [`Service account ${name} is disabled and has no credential.`] }
      }),
    )
}
