import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestUser } from '../test/support/appliance.ts'
import { nameOf, startDaemon, type Daemon } from './daemon.ts'
import { table, takeTurns, type Figures, type Result, type Task } from './figures.ts'
import { builds, count, counts, readOptions, record, type Read } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(7, 'rounds, each of which measures everything once'),
  logins: count(100, 'people who log in at the same moment'),
  seconds: count(3, 'how long encryption is timed alone'),
  connections: count(4, 'keep-alive connections that encrypt'),
  workers: counts([2], 'one daemon for each number of workers'),
  warmup: count(5_000, 'encryptions before the first round'),
  argon2: record('settings of login.argon2, for example {"concurrency":1}'),
  against: builds,
}

type Options = Read<typeof choices>

/**
 * Milliseconds of an encryption, alone and beside logins. `total`: the slowest hundredth beside logins relative to that
 * alone.
 */
interface Latency extends Figures {
  readonly aloneMedian: number
  readonly aloneP99: number
  readonly besideMedian: number
  readonly besideP99: number
  readonly besideCalls: number
  /** Time of all logins together. */
  readonly loginsMs: number
}

/** Measures how long encryptions take while many people log in, and immediately before that, in one round. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('login', choices, args)
  needTools(['curl'])
  const daemons: Daemon[] = []
  const tasks: Task<Latency>[] = []
  try {
    for (const build of options.against)
      for (const workers of options.workers) {
        const daemon = await givenDaemon(build, workers, options)
        daemons.push(daemon)
        tasks.push(await beside(daemon, nameOf(build, workers), options))
      }
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const daemon of daemons) await daemon.close()
  }
}

function givenDaemon(build: string, workers: number, { argon2, connections }: Options): Promise<Daemon> {
  const login = { freeAttempts: 100, argon2 }
  return startDaemon({ build, connections, settings: { http: { workers }, login, session: { perUser: 1 } } })
}

async function beside(daemon: Daemon, name: string, options: Options): Promise<Task<Latency>> {
  const users: TestUser[] = []
  for (let n = 0; n < options.logins; n++) users.push(await daemon.appliance.addUser())
  const call = daemon.call('encrypt/bench', { plaintext: randomBytes(64).toString('base64') })
  const next = () => call
  await daemon.load.drive(next, options.warmup)
  const run = async (): Promise<Latency> => {
    const storm = prepareStorm(daemon, users)
    const untilMs = performance.now() + options.seconds * 1_000
    const alone = sorted(await daemon.load.time(next, () => performance.now() < untilMs))
    const startedMs = performance.now()
    let loginsMs: number | undefined
    const logins = storm().finally(() => (loginsMs = performance.now() - startedMs))
    const latencies = sorted(await daemon.load.time(next, () => loginsMs === undefined))
    await logins
    return {
      aloneMedian: at(alone, 0.5),
      aloneP99: at(alone, 0.99),
      besideMedian: at(latencies, 0.5),
      besideP99: at(latencies, 0.99),
      besideCalls: latencies.length,
      loginsMs: loginsMs ?? 0,
      total: at(latencies, 0.99) / at(alone, 0.99),
    }
  }
  return { name, run }
}

/**
 * Logins that start at the same time over separate connections, by curl in another process. Rejects unless all succeed.
 */
function prepareStorm({ appliance }: Daemon, users: readonly TestUser[]): () => Promise<void> {
  const ca = join(appliance.directory, 'ca.pem')
  writeFileSync(ca, appliance.ca)
  const requests = users.map((user) => {
    const body = JSON.stringify(JSON.stringify(appliance.credentials(user)))
    return `url = "${appliance.url}/auth"\ncacert = "${ca}"\ndata = ${body}\noutput = /dev/null\nwrite-out = "%{http_code} "\n`
  })
  const config = join(appliance.directory, 'storm.curl')
  writeFileSync(
    config,
    `parallel\nparallel-immediate\nparallel-max = ${users.length}\nno-progress-meter\n${requests.join('next\n')}`,
  )
  return async () => {
    const { stdout } = await promisify(execFile)('curl', ['--config', config])
    const statuses = stdout.trim().split(' ')
    if (statuses.length !== users.length || statuses.some((status) => status !== '200'))
      throw new Error(`not every login succeeded: ${[...new Set(statuses)].join(', ')}`)
  }
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

function at(values: readonly number[], part: number): number {
  return values[Math.floor(values.length * part)] ?? Number.NaN
}

function text(results: readonly Result<Latency>[]): string {
  return table([
    ['ms of an encryption', 'median', 'p99', 'median beside', 'p99 beside', 'p99 to alone', 'calls', 'logins took'],
    ...results.map((row) => [
      row.name,
      ...[row.aloneMedian, row.aloneP99, row.besideMedian, row.besideP99, row.total].map((figure) => figure.toFixed(1)),
      ...[row.besideCalls, row.loginsMs].map((figure) => figure.toFixed(0)),
    ]),
  ])
}
