import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Sessions that were opened with the key end at their next call.

Example:
  strongroom apikey revoke payroll`

export function addApplicationKeyRevoke(applicationKey: Command): void {
  applicationKey
    .command('revoke')
    .description('revoke an application key, for good')
    .argument('<name>', 'name of the application')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string) => {
        await withAppliance(invocation, ({ change, services }) =>
          change('apikey.revoke', `application key ${name}`, (commit) => services.applicationKeys.revoke(name, commit)),
        )
        return { json: { name, revoked: true }, lines: [`Application key ${name} is revoked.`] }
      }),
    )
}
