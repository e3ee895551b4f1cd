import type { Command } from 'commander'
import { serviceRecord } from '../../features/services/routes/service-record.ts'
import { describedServices } from '../../features/services/described-service.ts'
import { loadConfig } from '../../config/loader.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { endText } from './describe.ts'

export function addServiceList(service: Command): void {
  service
    .command('list')
    .description('list the accounts of applications, with their last logins')
    .addHelpText('after', '\nExample:\n  strongroom service list')
    .action(
      answering(async ({ config }) => {
        const services = await withStore(loadConfig(config), ({ read }) => describedServices(read))
        const rows = services.map(({ id, name, owner, account, isActive, uses }) => {
          const last = Math.max(0, ...uses.map(({ usedAt }) => usedAt))
          const state = isActive ? endText(account.expiresAt) : 'disabled'
          const used = last === 0 ? 'not yet' : dateOf(last)
          return [String(id), name, owner?.username ?? '', String(account.credentials.length), state, used]
        })
        const head = ['ID', 'NAME', 'OWNER', 'CREDENTIALS', 'ENDS (UTC)', 'LAST LOGIN (UTC)']
        return { json: services.map(serviceRecord), lines: table([head, ...rows]) }
      }),
    )
}
