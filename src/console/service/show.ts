import type { Command } from 'commander'
import { serviceNamed } from '../../features/services/described-service.ts'
import { loadConfig } from '../../config/loader.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { describeService } from './describe.ts'

export function addServiceShow(service: Command): void {
  service
    .command('show')
    .description('show an account, its credentials and when each was used')
    .argument('<name>', 'name of the account')
    .addHelpText('after', '\nExample:\n  strongroom service show mail-form')
    .action(
      answering(async ({ config }, name: string) => {
        const found = await withStore(loadConfig(config), ({ read }) => serviceNamed(read, name))
        return describeService(found, `Service account ${found.name}:`)
      }),
    )
}
