import type { Command } from 'commander'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { storePlace } from '../daemon/appliance.ts'
import { loadConfig, readSecret } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { createRootObjects } from '../hsm/pkcs11/root-creation.ts'
import { inspectStore } from '../store/inspection.ts'
import { openStore } from '../store/open.ts'
import { tables } from '../daemon/tables.ts'
import { count, table, type Answer } from './output/command-answer.ts'
import { leaveToOwner, recordAlone } from './console-context.ts'
import { answering, type Invocation } from './invocation.ts'

const help = `
Makes what is missing and touches nothing that is there, so it may be run again at any time: after an
upgrade it applies the new migrations.

Example:
  strongroom init --config /etc/strongroom/strongroom.json`

export function addInit(program: Command): void {
  program
    .command('init')
    .summary('make the root keys in the token, and the database')
    .description('Makes the root objects in the token, and makes or migrates the database.')
    .addHelpText('after', help)
    .action(answering((invocation) => init(invocation, loadConfig(invocation.config))))
}

async function init(invocation: Invocation, config: Config): Promise<Answer> {
  const startedTick = performance.now()
  const roots = initToken(config, join(invocation.build, 'hsm/ceremony'))
  const database = await initDatabase(config)
  const changes = [
    ...(roots.created.length > 0 ? [count(roots.created.length, 'root object')] : []),
    ...(database.applied.length > 0 ? [count(database.applied.length, 'migration')] : []),
  ]
  if (changes.length > 0) await recordAlone(invocation, config, 'init', changes.join(', '), startedTick)
  return { json: { ...roots, database }, lines: describe(roots, database) }
}

function initToken({ hsm }: Config, ceremony: string) {
  const roots = createRootObjects({
    module: hsm.module,
    uri: hsm.token,
    softhsmConf: hsm.softhsmConf,
    tokenDirectory: hsm.tokenDirectory,
    readPin: () => readSecret(hsm.pinFile),
    ceremony,
  })
  if (hsm.tokenDirectory !== undefined) leaveToOwner(hsm.tokenDirectory)
  return roots
}

interface Database {
  readonly place: string
  readonly existed: boolean
  readonly applied: readonly string[]
}

async function initDatabase(config: Config): Promise<Database> {
  const place = storePlace(config)
  if ('sqlite' in place) mkdirSync(dirname(place.sqlite), { recursive: true, mode: 0o700 })
  const before = await inspectStore(place)
  await (await openStore(place, tables)).close()
  if ('sqlite' in place && existsSync(place.sqlite)) leaveToOwner(dirname(place.sqlite))
  return {
    place: 'sqlite' in place ? place.sqlite : 'PostgreSQL',
    existed: before.exists,
    applied: before.pending,
  }
}

function describe(roots: ReturnType<typeof initToken>, { place, existed, applied }: Database): string[] {
  const made = existed ? 'exists' : 'made'
  const migrated = applied.length === 0 ? 'up to date' : `${count(applied.length, 'migration')} applied`
  return [
    ...table([
      ['token', `${roots.token.label}, serial ${roots.token.serial}`],
      ...roots.created.map((label) => ['  made', label]),
      ...roots.present.map((label) => ['  exists', label]),
      ['database', place],
      [`  ${made}`, migrated],
    ]),
    ...roots.warnings.map((warning) => `Warning: ${warning}`),
  ]
}
