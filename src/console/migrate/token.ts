import type { Command } from 'commander'
import { dirname } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import { loadConfig, readSecret } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { checkTakenOver } from '../../daemon/row-takeover.ts'
import { Fault } from '../../fault.ts'
import { hasMovedOn, succeedInOtherToken } from '../../hsm/keeper/token-succession.ts'
import type { BackupSharingOptions } from '../../hsm/pkcs11/backup-sharing.ts'
import { roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import { inventoryOf, type MovedKeys, type MoveInventory, moveKeys } from '../../hsm/pkcs11/token-move.ts'
import { vaultKeyLabel } from '../../hsm/pkcs11/token-objects.ts'
import { tokenLocationOf } from '../../hsm/server/token-location.ts'
import { requireStopped } from '../backup-keys/ceremony.ts'
import { credentialFolder } from '../backup/restored-configuration.ts'
import { recordAt, type TokenContext, withToken } from '../console-context.ts'
import { exitCodes, UsageError } from '../exit-code.ts'
import { leaveDatabaseToOwner, leaveTokenToOwner } from '../file-owner.ts'
import { answering, type Invocation } from '../invocation.ts'
import { count, table, type Answer } from '../output/command-answer.ts'
import { createProgress } from '../output/progress.ts'
import { firstLine, nameAnother } from '../output/terminal.ts'
import { handOver, knownEnds } from '../root-keys/audit-handover.ts'
import { rootCreationOf } from '../root-making.ts'
import { finishMove, isSameToken } from './finish.ts'
import { describeLeft, isEmpty, leftBehind, type LeftBehind, vaultKeysOf } from './left-behind.ts'

const help = `
Moves root keys and the keys of vaults to another token, in a ceremony that needs the SO PINs of both. Stop the
daemon and all token hosts first. The other token is initialised, and holds nothing. --to names a copy of the
configuration whose section "hsm" is that of the other token; its user PIN becomes what hsm.pinFile there holds.

Only keys that were made with hsm.movable leave a token: before anything is done the command lists what stays, and
what its owners can do. If it is interrupted, it goes on when it is run again. The keys in the old token stay until
--finish, which destroys them after asking; once the move is done, that token is no longer used.

Examples:
  strongroom migrate token --to /etc/strongroom/strongroom.new.json
  (keep strongroom.json as strongroom.old.json, put strongroom.new.json in its place, start the daemon)
  strongroom migrate token --finish --from /etc/strongroom/strongroom.old.json`

interface TokenFlags {
  readonly to?: string
  readonly from?: string
  readonly finish?: true
  readonly leaveBehind?: true
  readonly yes?: true
  readonly soPinFile?: string
  readonly toSoPinFile?: string
}

export function addMigrateToken(migrate: Command): void {
  migrate
    .command('token')
    .description('move the keys of the token to another one')
    .option('--to <config>', 'a configuration that names the other token')
    .option('--so-pin-file <file>', 'the SO PIN of the present token; asked for without it')
    .option('--to-so-pin-file <file>', 'the SO PIN of the other token; asked for without it')
    .option('--leave-behind', 'moves although keys stay that are listed')
    .option('--finish', 'destroys the keys in the old token')
    .option('--from <config>', 'of --finish: the configuration that names the old token')
    .option('--yes', 'of --finish: does not ask')
    .addHelpText('after', help)
    .action(answering(migrateToken))
}

async function migrateToken(invocation: Invocation, flags: TokenFlags): Promise<Answer> {
  const { to, from, finish } = flags
  if (finish === true && from !== undefined && to === undefined) return finishMove(invocation, { ...flags, from })
  if (finish === true || to === undefined || from !== undefined)
    throw new UsageError('Give --to CONFIG, or --finish with --from CONFIG.')
  const [config, next] = [loadConfig(invocation.config), loadConfig(to)]
  requireOtherToken(config, next)
  await requireStopped(config)
  await requireStopped(next)
  const ending = { config, next, to, pin: pinToExchange(config, next) }
  if (hasMovedOn(keeperOf(config).state, tokenLocationOf(config))) return closing(invocation, ending, undefined)
  const inventory = inventoryOf(tokenLocationOf(config))
  requireMovableSeal(inventory)
  const plan = await withToken(invocation, config, async (context) => {
    await checkTakenOver(context.store.read)
    const left = await leftBehind(context, inventory)
    if (isEmpty(left) || flags.leaveBehind === true)
      await recordAt(context, { operation: 'migrate.token.begin', target: next.hsm.token })
    return { left, vaultKeys: await vaultKeysOf(context), shown: await knownEnds(context) }
  })
  if (!isEmpty(plan.left) && flags.leaveBehind !== true) return refusal(plan.left)
  const moved = hold(invocation, plan.vaultKeys, {
    from: await optionsOf(invocation, config, flags.soPinFile, 'SO PIN of the present token: '),
    to: await optionsOf(invocation, next, flags.toSoPinFile, 'SO PIN of the other token: '),
  })
  const files = keeperOf(config)
  const tokens = { from: tokenLocationOf(config), to: tokenLocationOf(next) }
  succeedInOtherToken({ files, ...tokens, made: moved.made, shown: plan.shown, now: Date.now })
  return closing(invocation, ending, moved)
}

/** Requires that both configurations differ only in the token. Above all the keeper's file must be the same. */
function requireOtherToken(config: Config, next: Config): void {
  if (isSameToken(config, next)) throw new UsageError('Both configurations name the same token.')
  const [here, there] = [keeperOf(config).state, keeperOf(next).state]
  if (here !== there)
    throw new UsageError(
      `The keeper's file is to go along: write hsm.keeper.state with ${here} into the new configuration.`,
    )
  if (config.audit.directory !== next.audit.directory || JSON.stringify(config.store) !== JSON.stringify(next.store))
    throw new UsageError('The two configurations differ in audit.directory or store: move one thing at a time.')
}

/** Requires a movable seal key, because every row is verified with it. */
function requireMovableSeal({ keys, locked }: MoveInventory): void {
  const seals = keys.map(({ label }) => label).filter((label) => roleOf(label) === 'seal')
  const [newest] = seals.toSorted((a, b) => versionOf(b) - versionOf(a))
  if (newest === undefined || locked.some(({ label }) => label === newest))
    throw new Fault(
      'hsm.rejected',
      `${newest ?? 'strongroom.seal'} is locked in its token. Set hsm.movable to true, restart, and make versions that may leave: "strongroom root-keys rotate seal", and the same with kek.strict, kek.exportable and pepper.`,
    )
}

function hold(
  { terminal }: Invocation,
  vaultKeys: ReadonlySet<string>,
  ends: { readonly from: BackupSharingOptions; readonly to: BackupSharingOptions },
): MovedKeys {
  return moveKeys({
    ...ends,
    isWanted: ({ label, id }) => label !== vaultKeyLabel || vaultKeys.has(id),
    progress: createProgress(terminal, 'Moving keys'),
  })
}

async function optionsOf(
  invocation: Invocation,
  config: Config,
  soPinFile: string | undefined,
  question: string,
): Promise<BackupSharingOptions> {
  const { terminal } = invocation
  if (soPinFile === undefined && !terminal.isInteractive)
    throw new UsageError('There is no terminal to ask for SO PINs: give --so-pin-file and --to-so-pin-file.')
  const soPin = soPinFile === undefined ? await terminal.askSecret(question) : readSecret(soPinFile, nameAnother)
  return { ...rootCreationOf(invocation, config), soPin: firstLine(soPin) }
}

function refusal(left: LeftBehind): Answer {
  return {
    json: { moved: false, left },
    lines: [
      'Nothing was moved: these would stay in the old token.',
      ...describeLeft(left),
      '',
      'Locked versions of root keys get successors that may leave by "strongroom root-keys rotate NAME" with hsm.movable.',
      'When nothing of it is needed any more, run the command with --leave-behind.',
    ],
    exitCode: exitCodes.refused,
  }
}

/**
 * The PIN file that the other token's PIN must replace, because systemd units pass services the PIN from one fixed
 * file.
 */
function pinToExchange({ hsm }: Config, next: Config): string | undefined {
  return dirname(hsm.pinFile) === credentialFolder && next.hsm.pinFile !== hsm.pinFile ? hsm.pinFile : undefined
}

interface Ending {
  readonly config: Config
  readonly next: Config
  /** The path of the configuration `next`. */
  readonly to: string
  readonly pin: string | undefined
}

/** Completes the move with the other token, once it has all keys. */
async function closing(
  invocation: Invocation,
  { config, next, to: file, pin }: Ending,
  moved: MovedKeys | undefined,
): Promise<Answer> {
  // Also for an earlier run that was killed before it came to this.
  const { state, floors } = keeperOf(next)
  for (const one of [state, floors]) leaveDatabaseToOwner(one)
  for (const one of [config, next]) leaveTokenToOwner(one)
  await withToken(invocation, next, async (context: TokenContext) => {
    await handOver(context)
    await recordAt(context, { operation: 'migrate.token', target: next.hsm.token })
  })
  return {
    json: { moved: true, keys: moved },
    lines: [
      ...table([
        ['moved', moved === undefined ? 'all keys, before' : movedWords(moved)],
        ...(moved?.made ?? []).map((label) => ['made', label]),
        ['trail', 'goes on under a key of the other token, which the one before has signed'],
      ]),
      '',
      ...(pin === undefined
        ? []
        : [
            `systemd hands services only the PIN in ${pin}: keep a copy of it for --finish, move ${next.hsm.pinFile} in its place, and set hsm.pinFile as it was.`,
          ]),
      `Now make ${file} the configuration, and start the daemon: the old token is no longer used.`,
      'When all is well: strongroom migrate token --finish --from CONFIG, with the old configuration.',
    ],
  }
}

const movedWords = ({ total, present }: MovedKeys): string =>
  `${count(total, 'key')}${present > 0 ? `, ${present} of them by an earlier run` : ''}, each proven to be the same`
