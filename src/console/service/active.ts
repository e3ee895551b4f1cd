import type { Command } from 'commander'
import { operatorId } from '../../access/confirmation.ts'
import { withAppliance } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { describeService } from './describe.ts'

async function setActive(invocation: Invocation, name: string, isActive: boolean) {
  const { service, putsOnHold } = await withAppliance(invocation, ({ change, services: { serviceAccounts } }) =>
    change(isActive ? 'service.enable' : 'service.disable', `service ${name}`, async (commit) => {
      const { id } = await serviceAccounts.find(name)
      return serviceAccounts.change(id, { isActive }, operatorId, commit)
    }),
  )
  return describeService(service, `Service account ${name} ${isActive ? 'may log in' : 'is disabled'}:`, putsOnHold)
}

export function addServiceDisable(service: Command): void {
  service
    .command('disable')
    .description('end the sessions of an account, and keep it from logging in')
    .argument('<name>', 'name of the account')
    .addHelpText(
      'after',
      '\nIts owner may enable it again: to keep it disabled, disable the owner, or name another one (service edit).\n\nExample:\n  strongroom service disable mail-form',
    )
    .action(answering((invocation, name: string) => setActive(invocation, name, false)))
}

export function addServiceEnable(service: Command): void {
  service
    .command('enable')
    .description('let an account log in again')
    .argument('<name>', 'name of the account')
    .addHelpText(
      'after',
      '\nIts memberships are on hold until an Admin of each vault confirms them, unless its owner enables it.\n\nExample:\n  strongroom service enable mail-form',
    )
    .action(answering((invocation, name: string) => setActive(invocation, name, true)))
}
