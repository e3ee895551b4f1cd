import type { Command } from 'commander'
import { decimalId } from '../../access/resource.ts'
import { scopeOf } from '../../access/scope.ts'
import { mayLogIn } from '../../access/capabilities.ts'
import { loadConfig } from '../../config/loader.ts'
import { Fault, isFault, type FaultCode } from '../../fault.ts'
import { membersOf } from '../../features/vaults/membership-records.ts'
import { openRecoveries } from '../../features/vaults/on-hold-records.ts'
import { findVault } from '../../features/vaults/records.ts'
import { table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

export function addVaultMembers(vault: Command): void {
  vault
    .command('members')
    .description('list who shares a vault, and with which permission')
    .argument('<id>', 'id of the vault')
    .addHelpText('after', '\n--json also shows the grants of each member.\n\nExample:\n  strongroom vault members 31')
    .action(
      answering(async ({ config }, text: string) => {
        const id = vaultId(text)
        const { members, onHold } = await withStore(loadConfig(config), async (store) => {
          if ((await findVault(store.read, id)) === null) noVault(id)
          const open = await openRecoveries(store.read, id)
          return { members: await membersOf(store.read, id), onHold: new Set(open.map(({ userId }) => userId)) }
        })
        const rows = members.map(({ userId, username, permission, grants, capabilities }) => ({
          id: userId,
          username,
          permission,
          grants: scopeOf(grants)?.entries ?? null,
          active: mayLogIn(capabilities),
          resting: onHold.has(userId),
        }))
        return {
          json: rows,
          lines: table([
            ['ID', 'NAME', 'PERMISSION', 'STATE'],
            ...rows.map(({ id: userId, username, permission, grants, active, resting: isOnHold }) => [
              String(userId),
              username,
              grants === null ? permission : `${permission}, narrowed`,
              stateOf(active, isOnHold),
            ]),
          ]),
        }
      }),
    )
}

function stateOf(active: boolean, isOnHold: boolean): string {
  if (!active) return 'cannot log in'
  return isOnHold ? 'on hold' : 'active'
}

/** @throws Fault `vault.not_found` if the text cannot be the id of a vault */
export function vaultId(text: string): number {
  return decimalId(text) ?? noVault(text)
}

export function noVault(id: string | number): never {
  throw new Fault('vault.not_found', `There is no vault ${id}: see strongroom vault list.`)
}

/** `vault <verb> <id> <user>`: a change that the operator makes where no Admin of the vault can. */
export const memberCommand = (vault: Command, verb: string, user: string): Command =>
  vault
    .command(verb)
    .argument('<id>', 'id of the vault: strongroom vault list')
    .argument('<user>', user)
    .option('--missing <number>', 'goes on although as many rows are missing as a call without it has said', '0')

/**
 * Replaces the faults of a change that the operator makes to the members of a vault: that there is no such vault, and
 * that one of its Admins `can` do this.
 */
export function explainRefusal(error: unknown, id: number, code: FaultCode, can: string): never {
  if (isFault(error, 'vault.not_found')) noVault(id)
  if (!isFault(error, code)) throw error
  throw new Fault(code, `Vault ${id} has an Admin who can ${can} (strongroom vault members ${id}): ask that Admin.`)
}
