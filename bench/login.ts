import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { TestUser } from '../test/support/appliance.ts'
import { dist, nameOf, startDaemon, type Daemon } from './daemon.ts'
import { table, takeTurns, type Figures, type Result, type Task } from './figures.ts'

const usage = `Usage: npm run bench:login -- [options]

  --rounds N       rounds, each of which measures everything once (7)
  --logins N       people who log in at the same moment (100)
  --seconds N      how long encryption is timed alone (3)
  --connections N  keep-alive connections that encrypt (4)
  --workers A,B    one daemon for each number of workers (2)
  --warmup N       encryptions before the first round (5000)
  --argon2 JSON    settings of login.argon2, for example '{"concurrency":1}'
  --against DIR    another build of the daemon, measured in the same rounds; as often as you like
  --json           the result as one line of JSON and nothing else`

type Options = ReturnType<typeof parseOptions>

/** Milliseconds that an encryption takes, and what the logins beside it took in all; compared by the slowest hundredth. */
interface Latency extends Figures {
  readonly median: number
  readonly p99: number
  readonly slowest: number
  readonly calls: number
  readonly loginsMs: number
}

/** Measures how long encryptions take while many people log in, beside the same daemon without them, in turn. */
export async function main(args: string[]): Promise<void> {
  const options = parseOptions(args)
  const results: Result<Latency>[] = []
  for (const build of [dist, ...options.against.map((path) => resolve(path))])
    for (const workers of options.workers) results.push(...(await measure(build, workers, options)))
  console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
}

async function measure(build: string, workers: number, options: Options): Promise<Result<Latency>[]> {
  const login = { freeAttempts: 100, argon2: options.argon2 }
  const settings = { http: { workers }, login, session: { perUser: 1 } }
  const daemon = await startDaemon({ build, connections: options.connections, settings })
  try {
    const users: TestUser[] = []
    for (let n = 0; n < options.logins; n++) users.push(await daemon.appliance.addUser())
    const call = daemon.call('encrypt/bench', { plaintext: randomBytes(64).toString('base64') })
    await daemon.load.drive(() => call, options.warmup)
    const name = nameOf(build, workers)
    const tasks: Task<Latency>[] = [
      {
        name: `${name}, alone`,
        run: async () => {
          const untilMs = performance.now() + options.seconds * 1_000
          return figuresOf(
            await daemon.load.time(
              () => call,
              () => performance.now() < untilMs,
            ),
            0,
          )
        },
      },
      {
        name: `${name}, ${options.logins} logins`,
        run: async () => {
          const storm = prepareStorm(daemon, users)
          const startedMs = performance.now()
          let loginsMs: number | undefined
          const logins = storm().then(() => (loginsMs = performance.now() - startedMs))
          const latencies = await daemon.load.time(
            () => call,
            () => loginsMs === undefined,
          )
          return figuresOf(latencies, await logins)
        },
      },
    ]
    return await takeTurns(tasks, options.rounds)
  } finally {
    await daemon.close()
  }
}

/** Logins that start at the same moment over connections of their own, in a process of their own: curl. Rejects unless all succeed. */
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

function figuresOf(latencies: readonly number[], loginsMs: number): Latency {
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { median: at(0.5), p99: at(0.99), slowest: at(1), calls: sorted.length, loginsMs, total: at(0.99) }
}

function parseOptions(args: string[]) {
  const option = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const { values } = parseArgs({
    args,
    options: {
      rounds: option('7'),
      logins: option('100'),
      seconds: option('3'),
      connections: option('4'),
      workers: option('2'),
      warmup: option('5000'),
      argon2: option('{}'),
      against: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) throw new Error(usage)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the daemon refuses what it does not know
  const argon2 = JSON.parse(values.argon2) as Record<string, number>
  return {
    rounds: Number(values.rounds),
    logins: Number(values.logins),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    workers: values.workers.split(',').map(Number),
    warmup: Number(values.warmup),
    argon2,
    against: values.against,
    json: values.json,
  }
}

function text(results: readonly Result<Latency>[]): string {
  return table([
    ['encryptions', 'median ms', 'p99 ms', 'slowest ms', 'p99 to alone', 'calls', 'logins took ms'],
    ...results.map(({ name, median, p99, slowest, ratio, calls, loginsMs }) => [
      name,
      ...[median, p99, slowest, ratio].map((figure) => figure.toFixed(2)),
      calls.toFixed(0),
      loginsMs.toFixed(0),
    ]),
  ])
}
