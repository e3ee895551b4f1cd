import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import { listClients } from '../../features/otp-validation/records.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

export function addValidatorClientList(validator: Command): void {
  validator
    .command('client-list')
    .description('list all clients of the validator; their keys are never shown')
    .addHelpText('after', '\nExample:\n  strongroom validator client-list')
    .action(
      answering(async ({ config }) => {
        const clients = await withStore(loadConfig(config), (store) => listClients(store.read))
        return {
          json: clients.map(({ id, name, allowUnsigned, createdAt, revokedAt }) => ({
            id,
            name,
            unsigned: allowUnsigned === 1,
            createdAt,
            revokedAt,
          })),
          lines: table([
            ['ID', 'NAME', 'REQUESTS', 'SINCE (UTC)', 'STATE'],
            ...clients.map(({ id, name, allowUnsigned, createdAt, revokedAt }) => [
              String(id),
              name,
              allowUnsigned === 1 ? 'also unsigned' : 'signed',
              dateOf(createdAt),
              revokedAt === null ? 'in use' : `revoked ${dateOf(revokedAt)}`,
            ]),
          ]),
        }
      }),
    )
}
