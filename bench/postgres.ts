import { randomBytes } from 'node:crypto'
import { createObject, server } from '../test/support/object-kit.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../test/support/postgres.ts'
import { cpuTimeOfAll } from './cpu.ts'
import { driverOf, nameOf, sample, startDaemon, type Daemon, type Sample } from './daemon.ts'
import { table, takeTurns, warmUp, type Result, type Task } from './figures.ts'
import type { Call, Load } from './load.ts'
import { builds, count, readOptions } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(7, 'rounds, each of which measures everything once'),
  calls: count(2_000, 'calls of each kind per round'),
  warmup: count(12_000, 'encryptions before the first round, and a sixth as many calls of each other kind'),
  connections: count(16, 'keep-alive connections to each daemon'),
  workers: count(1, 'workers of each daemon'),
  against: builds,
}

interface Measured extends Sample {
  /** The same in the processes of the database's server. */
  readonly database: number
}

/** A daemon under load. */
interface Driven {
  readonly name: string
  readonly daemon: Daemon
  readonly load: Load
  readonly database: TestPostgres | undefined
}

/** Measures the CPU time of calls on PostgreSQL, its server's included, in turn with the same calls on SQLite. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('postgres', choices, args)
  needTools()
  if (!hasPostgres) throw new Error('This benchmark needs a PostgreSQL server: apt-get install postgresql')
  const closing: (() => unknown)[] = []
  try {
    const driven: Driven[] = []
    for (const build of options.against)
      for (const database of [undefined, startPostgres()]) {
        if (database) closing.unshift(() => database.cleanup())
        const store = database && { postgresUrlFile: database.urlFile }
        const quotas = { keysPerMinute: 1_000_000 }
        const settings = { http: { workers: options.workers }, quotas, ...(store && { store }) }
        const daemon = await startDaemon({ build, connections: options.connections, settings })
        closing.unshift(() => daemon.close())
        const load = driverOf(daemon.appliance, options)
        closing.unshift(() => load.close())
        const name = `${database ? 'PostgreSQL' : 'SQLite'}, ${nameOf(build, options.workers)}`
        driven.push({ name, daemon, load, database })
      }
    const tasks: Task<Measured>[] = []
    for (const [what, next] of await kindsOf(driven)) {
      const [first] = driven
      for (const one of driven) {
        await warmUp(`${one.name}: ${what}`, () => drive(one, next, options.warmup / (what === hot ? 1 : 6)))
        const run = () => drive(one, next, options.calls)
        tasks.push({ name: `${what}, ${one.name}`, to: `${what}, ${first?.name}`, run })
      }
    }
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const close of closing) await close()
  }
}

type NextCall = (to: Driven) => Call

const hot = 'encrypt 64 bytes'
const keys = 64

/** What is measured. Each daemon has an object to read first. */
async function kindsOf(driven: readonly Driven[]): Promise<readonly (readonly [string, NextCall])[]> {
  const objects = new Map<Driven, string>()
  for (const one of driven) objects.set(one, await createObject(one.daemon.admin, one.daemon.vault))
  const plaintext = randomBytes(64).toString('base64')
  let turn = 0
  const inVault =
    (operation: () => string, body: object): NextCall =>
    ({ daemon }) =>
      daemon.call(operation(), body)
  const ofObject =
    (method: 'GET' | 'POST', path: (to: Driven) => string, body?: (to: Driven) => object): NextCall =>
    (to) => ({
      method,
      path: new URL(to.daemon.appliance.url).pathname + path(to),
      headers: { 'content-type': 'application/json', 'x-http-token': to.daemon.admin.token ?? '' },
      ...(body && { body: JSON.stringify(body(to)) }),
    })
  return [
    [hot, inVault(() => 'encrypt/bench', { plaintext })],
    [`encrypt with ${keys} keys`, inVault(() => `encrypt/bench-${turn++ % keys}`, { plaintext })],
    [
      'create an object',
      ofObject(
        'POST',
        () => '/object',
        ({ daemon }) => ({ groupid: daemon.vault, ...server }),
      ),
    ],
    ['read it decrypted', ofObject('GET', (to) => `/object/${objects.get(to)}?decrypt=true`)],
    ['create a key', inVault(() => `keys/new-${randomBytes(8).toString('hex')}`, {})],
  ]
}

async function drive(one: Driven, next: NextCall, calls: number): Promise<Measured> {
  const { daemon, load, database } = one
  const used = () => (database ? cpuTimeOfAll(database.pid()) : 0)
  const before = used()
  const taken = await sample({ pid: daemon.appliance.pid, load }, () => next(one), calls)
  const ofDatabase = (used() - before) / calls
  return { ...taken, database: ofDatabase, total: taken.total + ofDatabase }
}

function text(results: readonly Result<Measured>[]): string {
  return table([
    ['call', 'workers', 'hosts', 'keeper', 'database', 'CPU µs/call', 'to SQLite', 'calls/s (aside)'],
    ...results.map(({ name, worker, host, keeper, database, total, ratio, rate }) => [
      name,
      ...[worker, host, keeper, database, total].map((figure) => figure.toFixed(0)),
      ratio.toFixed(2),
      rate.toFixed(0),
    ]),
  ])
}
