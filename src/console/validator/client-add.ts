import type { Command } from 'commander'
import { Fault, isFault } from '../../fault.ts'
import { withAppliance } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'

const help = `
The id and the API key go into the configuration of the program that asks (pam_yubico: id= and key=). The key is
shown once and cannot be shown again. Requests must be signed with it, unless --unsigned.

Example:
  strongroom validator client-add vpn.example.org`

export function addValidatorClientAdd(validator: Command): void {
  validator
    .command('client-add')
    .description('make an id and an API key for a program that has OTPs checked')
    .argument('<name>', 'name of the client: 1 to 64 letters, digits, blanks and . _ -')
    .option('--unsigned', 'also answer its requests that carry no signature, for programs that cannot sign')
    .addHelpText('after', help)
    .action(
      answering(async (invocation: Invocation, name: string, { unsigned = false }: { unsigned?: boolean }) => {
        const { id, key } = await withAppliance(invocation, ({ change, services }) =>
          change('validator.client.add', `validation client ${name}`, (commit) =>
            services.validationClients.add({ name, allowUnsigned: unsigned }, commit).catch((error: unknown) => {
              if (!isFault(error, 'store.conflict')) throw error
              throw new Fault(
                'store.conflict',
                `There is, or was, a validation client called ${name}: choose another name.`,
              )
            }),
          ),
        )
        return {
          json: { id, name, key, unsigned },
          lines: [
            `Validation client ${name}: id ${id}, API key ${key}`,
            'The key is shown this once: hand it to the client now.',
          ],
        }
      }),
    )
}
