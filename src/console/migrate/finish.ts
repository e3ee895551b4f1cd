import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { Fault } from '../../fault.ts'
import { holdsPairOf } from '../../hsm/keeper/token-succession.ts'
import {
  emptyToken,
  inventoryOf,
  type MoveInventory,
  objectName,
  requireSameKeys,
} from '../../hsm/pkcs11/token-move.ts'
import { vaultKeyLabel } from '../../hsm/pkcs11/token-objects.ts'
import { tokenLocationOf } from '../../hsm/server/token-location.ts'
import { recordAt, type TokenContext, withToken } from '../console-context.ts'
import { exitCodes, UsageError } from '../exit-code.ts'
import { leaveTokenToOwner } from '../file-owner.ts'
import type { Invocation } from '../invocation.ts'
import { count, type Answer } from '../output/command-answer.ts'
import { confirmDestruction } from '../output/terminal.ts'
import { describeLeft, isEmpty, type LeftBehind, leftBehind, vaultKeysOf } from './left-behind.ts'

export interface FinishFlags {
  readonly from: string
  readonly leaveBehind?: true
  readonly yes?: true
}

/** Destroys Strongroom's objects in the old token, once the present one has all that are needed. */
export async function finishMove(invocation: Invocation, { from, leaveBehind, yes }: FinishFlags): Promise<Answer> {
  const [config, before] = [loadConfig(invocation.config), loadConfig(from)]
  if (isSameToken(config, before))
    throw new UsageError('--from names the token that is in use: name the old configuration.')
  return withToken(invocation, config, async (context) => {
    await requireOtherToken(context, before)
    const old = inventoryOf(tokenLocationOf(before))
    const present = objectNamesIn(inventoryOf(tokenLocationOf(config)))
    requireSameKeys(tokenLocationOf(before), tokenLocationOf(config))
    requireAllThere(present, old, await vaultKeysOf(context))
    const locked = old.locked.filter((one) => !present.has(objectName(one)))
    const left = await leftBehind(context, { ...old, locked })
    if (!isEmpty(left) && leaveBehind !== true) return refusal(left)
    if (yes !== true)
      await confirmDestruction(invocation.terminal, `all keys of Strongroom in ${before.hsm.token} for good?`)
    // Recorded before the destruction: without a record nothing is destroyed.
    await recordAt(context, { operation: 'migrate.token.finish', target: before.hsm.token })
    const destroyed = emptyToken(tokenLocationOf(before))
    leaveTokenToOwner(before)
    return {
      json: { destroyed },
      lines: [
        `${count(destroyed, 'object')} destroyed in ${before.hsm.token}. Backups of it still hold them: destroy those that you no longer need.`,
      ],
    }
  })
}

/** Whether both configurations name one token in the same way. */
export function isSameToken(one: Config, other: Config): boolean {
  const [here, there] = [one, other].map(({ hsm }) => JSON.stringify([hsm.module, hsm.token, hsm.softhsmConf]))
  return here === there
}

/** Refuses the token in use, which may be named in several ways: it is the one with the key that signs the trail. */
async function requireOtherToken({ token }: TokenContext, before: Config): Promise<void> {
  const { publicKey } = await token.hsm.auditKeys()
  if (holdsPairOf(publicKey, tokenLocationOf(before)))
    throw new Fault(
      'hsm.rejected',
      `The audit key in use lies in ${before.hsm.token}: that token is in use, nothing was destroyed.`,
    )
}

const objectNamesIn = ({ keys }: MoveInventory): ReadonlySet<string> => new Set(keys.map(objectName))

/** Requires in the present token all movable root keys and the keys of existing vaults. */
function requireAllThere(
  present: ReadonlySet<string>,
  { keys, locked }: MoveInventory,
  vaultKeys: ReadonlySet<string>,
): void {
  const stays = new Set(locked.map(objectName))
  const missing = keys
    .filter(({ label, id }) => label !== vaultKeyLabel || vaultKeys.has(id))
    .map(objectName)
    .find((object) => !present.has(object) && !stays.has(object))
  if (missing !== undefined)
    throw new Fault(
      'hsm.rejected',
      `The token in use has no ${missing.split(' ')[0]}, which the old one has: run the move first.`,
    )
}

function refusal(left: LeftBehind): Answer {
  return {
    json: { destroyed: 0, left },
    lines: [
      'Nothing was destroyed: these keys are only in the old token.',
      ...describeLeft(left),
      '',
      'When none of them is needed any more, run the command with --leave-behind.',
    ],
    exitCode: exitCodes.refused,
  }
}
