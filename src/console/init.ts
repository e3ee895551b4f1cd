import type { Command } from 'commander'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { storeLocation } from '../config/store-location.ts'
import { loadConfig } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { Fault } from '../fault.ts'
import { makeFolder } from '../folder-making.ts'
import { createRootObjects, type RootCreation } from '../hsm/pkcs11/root-creation.ts'
import { roleOf } from '../hsm/pkcs11/root-objects.ts'
import { inspectStore, type StoreInspection } from '../store/inspection.ts'
import { openStore } from '../store/open.ts'
import { tables } from '../daemon/tables.ts'
import { count, table, type Answer } from './output/command-answer.ts'
import { recordAt, withAppliance, withToken } from './console-context.ts'
import { refuseInPlaceOfLost } from './earlier-use.ts'
import { changesOf, describeLeft, takeOver, takeoverRows, type Takeover } from './earlier-release.ts'
import { leaveToOwner, leaveTokenToOwner } from './file-owner.ts'
import { rootCreationOf } from './root-making.ts'
import { sentenceOf } from './exit-code.ts'
import { answering, type Invocation } from './invocation.ts'
import { movableKeks, moveFrom } from './root-keys/rewrapping.ts'
import { agreedStatus, rootVersionsOf } from './root-keys/root-versions.ts'

const help = `
Makes what is missing and touches nothing that is there, so it may be run again at any time: after an
upgrade it applies the new migrations, seals once what an earlier release left without seals, takes over the
keys of release 0.2.0, which get an identity and a second wrapping, and moves the backups of keys from under a
backup KEK of release 0.2.0, which the PIN can read, to the newest one. If it is interrupted, it goes on when it
is run again.

A token without root keys is refused where the database has users: it is not the token that they were made with.
Likewise no database is made where the files of keeper or audit trail show that there was one.

Example:
  strongroom init --config /etc/strongroom/strongroom.json`

export function addInit(program: Command): void {
  program
    .command('init')
    .description('make the root keys in the token, and make or migrate the database')
    .addHelpText('after', help)
    .action(answering((invocation) => init(invocation, loadConfig(invocation.config))))
}

async function init(invocation: Invocation, config: Config): Promise<Answer> {
  const startedTick = performance.now()
  const before = await inspectStore(storeLocation(config))
  await refuseInPlaceOfLost(config, before)
  const roots = initToken(invocation, config, before.isUsed)
  const database = await initDatabase(config, before)
  const taken = await withToken(invocation, config, async (context) => {
    await context.token.hsm.noteRoots(roots.created)
    const taken = await takeOver(context, invocation.terminal)
    const changes = [
      ...(roots.created.length > 0 ? [count(roots.created.length, 'root object')] : []),
      ...(database.applied.length > 0 ? [count(database.applied.length, 'migration')] : []),
      ...changesOf(taken),
    ]
    if (changes.length > 0) await recordAt(context, { operation: 'init', target: changes.join(', '), startedTick })
    return taken
  })
  const { sealedRows, movedBackups, ...keys } = taken
  const backups = await moveBackups(invocation, roots, movedBackups)
  return {
    json: { ...roots, database: { ...database, sealedRows }, takenOver: keys, backups },
    lines: [...describe(roots, database, taken), ...describeLeft(taken), ...describeBackups(backups)],
  }
}

function initToken(invocation: Invocation, config: Config, isUsed: boolean) {
  const roots = createRootObjects({ ...rootCreationOf(invocation, config), isUsed })
  leaveTokenToOwner(config)
  return roots
}

interface MovedBackups {
  readonly moved: number
  readonly left: number
  /** Older backup KEKs that let keys out in readable form. */
  readonly under: readonly string[]
  /** The reason why they could not be moved. */
  readonly failure?: string
}

/**
 * Moves backups from backup KEKs of release 0.2.0; undefined if there is no such KEK. Some backups were already moved
 * together with their keys (`movedBackups`).
 */
async function moveBackups(
  invocation: Invocation,
  { created, present }: Pick<RootCreation, 'created' | 'present'>,
  movedBackups: number,
): Promise<MovedBackups | undefined> {
  if ([...created, ...present].filter((label) => roleOf(label) === 'kek.backup').length < 2) return undefined
  try {
    return await withAppliance(invocation, async (context) => {
      const readable = rootVersionsOf(await agreedStatus(context.token.hsm)).filter((one) => one.readable)
      const keks = movableKeks(readable)
      if (keks.length === 0) return undefined
      const { moved, left } = await moveFrom(context, invocation.terminal, keks)
      return { moved: moved + movedBackups, left: left.length, under: keks }
    })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { moved: movedBackups, left: 0, under: [], failure: sentenceOf(error) }
  }
}

function describeBackups(backups: MovedBackups | undefined): string[] {
  if (backups === undefined) return []
  const { moved, left, under, failure } = backups
  if (failure !== undefined)
    return [
      '',
      `Backups of keys could not be moved to the newest backup KEK: ${failure}`,
      'Anyone who has the PIN can read them until you have run: strongroom root-keys rotate kek.backup',
    ]
  return [
    '',
    `${count(moved, 'backup')} of keys moved from under ${under.join(', ')}, which the PIN can read${left > 0 ? `; ${left} could not be moved` : ''}.`,
    'Backups that were taken out before stand under it for good: take new ones, destroy the old ones, and then the KEK:',
    '  strongroom root-keys rotate kek.backup --destroy-unused',
  ]
}

interface Database {
  readonly place: string
  readonly existed: boolean
  readonly applied: readonly string[]
}

async function initDatabase(config: Config, before: StoreInspection): Promise<Database> {
  const location = storeLocation(config)
  if ('sqlite' in location) await makeFolder(dirname(location.sqlite))
  await (await openStore(location, tables)).close()
  if ('sqlite' in location && existsSync(location.sqlite)) leaveToOwner(dirname(location.sqlite))
  return {
    place: 'sqlite' in location ? location.sqlite : 'PostgreSQL',
    existed: before.exists,
    applied: before.pending,
  }
}

function describe(
  roots: ReturnType<typeof initToken>,
  { place, existed, applied }: Database,
  taken: Takeover,
): string[] {
  const made = existed ? 'exists' : 'made'
  const migrated = applied.length === 0 ? 'up to date' : `${count(applied.length, 'migration')} applied`
  return [
    ...table([
      ['token', `${roots.token.label}, serial ${roots.token.serial}`],
      ...roots.created.map((label) => ['  made', label]),
      ...roots.present.map((label) => ['  exists', label]),
      ['database', place],
      [`  ${made}`, migrated],
      ...takeoverRows(taken),
    ]),
    ...roots.warnings.map((warning) => `Warning: ${warning}`),
  ]
}
