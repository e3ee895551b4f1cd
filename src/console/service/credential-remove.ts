import type { Command } from 'commander'
import { operatorId } from '../../access/confirmation.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { describeService } from './describe.ts'

const help = `
The sessions that were begun by it end at once. Ids are those of strongroom service show, which also tells when
each credential was used last.

Example:
  strongroom service credential-remove mail-form 0f3c5a7712de90ab`

export function addServiceCredentialRemove(service: Command): void {
  service
    .command('credential-remove')
    .description('take a credential away')
    .argument('<account>', 'name of the account')
    .argument('<id>', 'id of the credential')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, account: string, credential: string) => {
        const { service: left, putsOnHold } = await withAppliance(
          invocation,
          ({ change, services: { serviceAccounts } }) =>
            change('service.credential-remove', `service ${account}: credential ${credential}`, async (commit) => {
              const { id } = await serviceAccounts.find(account)
              return serviceAccounts.removeCredential(id, credential, operatorId, commit)
            }),
        )
        return describeService(left, `Credential ${credential} of ${account} is gone:`, putsOnHold)
      }),
    )
}
