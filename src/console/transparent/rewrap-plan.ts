import { type Command, InvalidArgumentError } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import { roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import { inventoryOf, type MoveInventory } from '../../hsm/pkcs11/token-move.ts'
import { tokenLocationOf } from '../../hsm/server/token-location.ts'
import { withStore } from '../console-context.ts'
import { answering, type Invocation } from '../invocation.ts'
import { type Answer, count, table } from '../output/command-answer.ts'
import { type Step, stepsOf } from './rewrap-steps.ts'
import { describeKeys, firstKept, type UnmovableKey, unmovableKeys } from './unmovable-keys.ts'

const help = `
Keys with residency "token", and versions of keys below a root key that is locked, stay behind when the appliance
moves to another token. For each the plan has the calls, in order, after which nothing that is needed stays behind:
the owner of the vault makes them, while the daemon runs. Nothing is changed by this command.

Examples:
  strongroom transparent rewrap-plan
  strongroom transparent rewrap-plan --vault 17
  strongroom transparent rewrap-plan --json | jq '.keys[] | select(.vault == 17) | .steps'`

interface PlanFlags {
  readonly vault?: number
}

export function addRewrapPlan(transparent: Command): void {
  transparent
    .command('rewrap-plan')
    .description('list keys that cannot leave their token, and the calls that put others in their place')
    .option('--vault <id>', 'the keys of one vault', vaultId)
    .addHelpText('after', help)
    .action(answering(rewrapPlan))
}

function vaultId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It is a number: see strongroom vault list.')
  return Number(text)
}

async function rewrapPlan(invocation: Invocation, { vault }: PlanFlags): Promise<Answer> {
  const config = loadConfig(invocation.config)
  const inventory = inventoryOf(tokenLocationOf(config))
  const found = await withStore(config, ({ read }) => unmovableKeys(read, inventory))
  const keys = found.filter(({ key }) => vault === undefined || key.vaultId === vault)
  const first = toRotate(inventory, keys)
  return {
    json: { rootKeysToRotate: first, keys: keys.map(itemOf) },
    lines: keys.length === 0 ? ['Every key may leave this token: there is nothing to do.'] : describe(keys, first),
  }
}

/** Roles whose newest version is locked: new keys under it would stay behind as well. */
function toRotate({ keys, locked }: MoveInventory, unmovable: readonly UnmovableKey[]): string[] {
  const below = new Set(unmovable.flatMap((one) => (one.below === undefined ? [] : [roleOf(one.below)])))
  const newestIsLocked = (role: string | undefined): boolean => {
    const newest = keys
      .map(({ label }) => label)
      .filter((label) => roleOf(label) === role)
      .toSorted((a, b) => versionOf(b) - versionOf(a))[0]
    return locked.some(({ label }) => label === newest)
  }
  return [...below].flatMap((role) => (role !== undefined && newestIsLocked(role) ? [role] : [])).toSorted()
}

function itemOf(one: UnmovableKey): object {
  const { vaultId: id, name, type, latestVersion, isDeleted } = one.key
  return {
    vault: id,
    vaultName: one.vaultName,
    key: name,
    type,
    latestVersion,
    ...(isDeleted ? { deleted: true } : {}),
    stays: one.versions,
    because: one.below === undefined ? { residency: 'token' } : { locked: one.below },
    ...(one.below === undefined ? {} : { trimTo: firstKept(one) }),
    steps: stepsOf(one),
  }
}

function describe(keys: readonly UnmovableKey[], first: readonly string[]): string[] {
  return [
    `${count(keys.length, 'key')} with something that cannot leave this token:`,
    '',
    ...describeKeys(keys),
    ...(first.length === 0
      ? []
      : [
          '',
          'First, for the operator: set hsm.movable to true, restart, then',
          ...first.map((role) => `  strongroom root-keys rotate ${role}`),
        ]),
    '',
    'Then, for the owner of each vault, in this order, under /api/1.0:',
    ...keys.flatMap((one) => ['', `${one.key.vaultId} ${one.vaultName}, ${one.key.name}`, ...stepLines(stepsOf(one))]),
  ]
}

function stepLines(steps: readonly Step[]): string[] {
  return steps.flatMap(({ method, path, body, permission, why }, at) => [
    ...table([[`  ${at + 1}.`, permission.padEnd(5), `${method} ${path}`]]),
    ...(body === undefined ? [] : [`     ${JSON.stringify(body)}`]),
    `     ${why}`,
  ])
}
