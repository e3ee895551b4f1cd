import type { Command } from 'commander'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Its next request is answered with OPERATION_NOT_ALLOWED. OTPs that it had checked stay used up.

Example:
  strongroom validator client-revoke vpn.example.org`

export function addValidatorClientRevoke(validator: Command): void {
  validator
    .command('client-revoke')
    .description('revoke a client of the validator, for good')
    .argument('<name>', 'name of the client')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, name: string) => {
        await withAppliance(invocation, ({ change, services }) =>
          change('validator.client.revoke', `validation client ${name}`, (commit) =>
            services.validationClients.revoke(name, commit),
          ),
        )
        return { json: { name, revoked: true }, lines: [`Validation client ${name} is revoked.`] }
      }),
    )
}
