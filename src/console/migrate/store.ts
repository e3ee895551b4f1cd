import type { Command } from 'commander'
import { dirname } from 'node:path'
import { writtenChains } from '../../audit/chain-lock.ts'
import { loadConfig, readSecret } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { storeLocation } from '../../config/store-location.ts'
import { tables } from '../../daemon/tables.ts'
import { checkTakenOver } from '../../daemon/row-takeover.ts'
import { Fault } from '../../fault.ts'
import { makeFolder } from '../../folder-making.ts'
import { inspectStore, occupantsOf } from '../../store/inspection.ts'
import { openStore } from '../../store/open.ts'
import type { Reader, Store } from '../../store/store.ts'
import { copyStore, notEmpty } from '../../store/store-copy.ts'
import { recordAt, type TokenContext, withToken } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { leaveDatabaseToOwner } from '../file-owner.ts'
import { answering, type Invocation } from '../invocation.ts'
import { count, table, type Answer } from '../output/command-answer.ts'
import { createProgress } from '../output/progress.ts'
import { nameAnother } from '../output/terminal.ts'
import { brokenSeals } from '../root-keys/resealing.ts'

const help = `
Copies every row of the database to another one, which must be empty: from SQLite to PostgreSQL, or back. Stop
the daemon first, on all machines that use the database. Each row is compared once it is there, each seal is
checked by the token, and the numbering of rows continues. All or nothing: if it is interrupted, run it again;
where it was interrupted at its very end, the new database is full, and it says so: remove that one first. The
old database stays as it is: remove it once you no longer need it, because it has all that the new one has.

--to names a file with a postgres:// URL, or a configuration whose section "store" names the new database.

Examples:
  strongroom migrate store --to /etc/strongroom/postgres-url
  strongroom migrate store --to /etc/strongroom/strongroom.new.json`

type Location = ReturnType<typeof storeLocation>

export function addMigrateStore(migrate: Command): void {
  migrate
    .command('store')
    .description('copy the database to another one: SQLite to PostgreSQL, or back')
    .requiredOption('--to <file>', 'a file with the URL, or a configuration, of the new database')
    .addHelpText('after', help)
    .action(answering(migrateStore))
}

async function migrateStore(invocation: Invocation, { to: file }: { to: string }): Promise<Answer> {
  const startedTick = performance.now()
  const config = loadConfig(invocation.config)
  const destination = await destinationIn(invocation, file)
  await requireNoWriter(config)
  await requireCurrent(storeLocation(config))
  await requireEmpty(destination.location)
  return withToken(invocation, config, async (context) => {
    await checkTakenOver(context.store.read)
    // Recorded before the copying: without a record nothing is copied, and the copy contains this record's seal too.
    await recordAt(context, { operation: 'migrate.store.begin', target: destination.kind, startedTick })
    if ('sqlite' in destination.location) await makeFolder(dirname(destination.location.sqlite))
    const target = await openStore(destination.location, tables)
    try {
      const outcome = await copied(invocation, context, target)
      await recordAt(
        { ...context, store: target },
        { operation: 'migrate.store', target: destination.kind, startedTick },
      )
      return answerOf(outcome, destination, config)
    } finally {
      await target.close()
      if ('sqlite' in destination.location) leaveDatabaseToOwner(destination.location.sqlite)
    }
  })
}

interface Destination {
  readonly location: Location
  readonly kind: 'SQLite' | 'PostgreSQL'
  /** The new section `store` of the configuration. */
  readonly setting: string
}

async function destinationIn({ terminal }: Invocation, file: string): Promise<Destination> {
  const isConfiguration = (await terminal.readInput(file)).toString('utf8').trimStart().startsWith('{')
  const store = isConfiguration ? loadConfig(file).store : { postgresUrlFile: file }
  if (store.postgresUrlFile === undefined) {
    const sqlite = store.sqlite ?? ''
    return { location: { sqlite }, kind: 'SQLite', setting: `"store": { "sqlite": "${sqlite}" }` }
  }
  const postgresUrl = readSecret(store.postgresUrlFile, nameAnother)
  if (!/^postgres(?:ql)?:\/\//.test(postgresUrl))
    throw new UsageError(`${store.postgresUrlFile} holds no URL that begins with postgres://, and is no configuration.`)
  const setting = `"store": { "postgresUrlFile": "${store.postgresUrlFile}" }`
  return { location: { postgresUrl }, kind: 'PostgreSQL', setting }
}

/** Refuses while workers of this machine run: each of them has its chain locked. */
async function requireNoWriter({ audit }: Config): Promise<void> {
  const workers = (await writtenChains(audit.directory)).filter((chain) => /(?:^|-)worker-\d+$/.test(chain))
  if (workers.length > 0)
    throw new Fault(
      'store.unavailable',
      'The daemon is running: stop it, on all machines that use the database, for it would go on writing to the old one.',
    )
}

/**
 * Requires a database of this release: opening an older one would migrate it, but the old database must stay unchanged.
 */
async function requireCurrent(location: Location): Promise<void> {
  const { exists, pending, unknown } = await inspectStore(location)
  if (exists && pending.length + unknown.length === 0) return
  throw new Fault(
    'store.unavailable',
    'The database is not of this release: run "strongroom init" of the release that you use first.',
  )
}

async function requireEmpty(location: Location): Promise<void> {
  const { applied, unknown } = await inspectStore(location)
  // An interrupted run leaves tables. Whether they have rows is seen when they are copied.
  const [first] = applied.length > 0 ? unknown : await occupantsOf(location)
  if (first !== undefined) throw notEmpty(first)
}

interface Outcome {
  readonly rows: number
  /** Rows whose seals are already broken in the old database. */
  readonly broken: readonly string[]
}

async function copied({ terminal }: Invocation, { store, token }: TokenContext, to: Store): Promise<Outcome> {
  const seals = createProgress(terminal, 'Checking seals')
  let broken: string[] = []
  const rows = await copyStore({
    tables,
    from: store,
    to,
    progress: createProgress(terminal, 'Copying rows'),
    async check(reader: Reader) {
      broken = await brokenSeals({ reader, hsm: token.hsm, progress: seals })
    },
  })
  return { rows, broken }
}

function answerOf({ rows, broken }: Outcome, { kind, setting }: Destination, config: Config): Answer {
  const old = config.store.sqlite ?? 'the old PostgreSQL database'
  return {
    json: { rows, tables: tables.length, to: kind, setting, broken },
    lines: [
      ...table([
        ['copied', `${count(rows, 'row')} of ${count(tables.length, 'table')} to ${kind}, each compared`],
        ['seals', broken.length === 0 ? 'good' : `${count(broken.length, 'row')} without a good one, as before:`],
      ]),
      ...broken.map((row) => `  ${row}: altered outside Strongroom, and refused wherever it is used`),
      '',
      `Now write ${setting} into the configuration in place of what is there, and start the daemon.`,
      `Keep ${old} until all is well; a daemon that is started on it before that takes changes that the new one lacks.`,
    ],
  }
}
