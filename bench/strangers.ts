import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestUser } from '../test/support/appliance.ts'
import { nameOf, startDaemon, type Daemon } from './daemon.ts'
import { median, table, takeTurns, type Figures, type Result, type Task } from './figures.ts'
import { builds, count, counts, readOptions } from './options.ts'

const choices = {
  rounds: count(5, 'rounds, each of which measures everything once'),
  logins: count(5_000, 'wrong logins at the same moment'),
  networks: counts([1, 500], 'addresses that they come from, one measurement for each number'),
  accounts: count(5_000, 'names that they try'),
  streams: count(100, 'of them over each connection'),
  honest: count(4, 'honest logins, one after the other, beside them'),
  against: builds,
}

/** Milliseconds of an honest login over a new connection. `total`: the slowest one beside the wrong ones. */
interface Waiting extends Figures {
  readonly alone: number
  readonly median: number
  /** Time of all wrong logins together. */
  readonly floodMs: number
}

/** Measures how long honest logins take while attackers send thousands of wrong ones, and before that, in one round. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('strangers', choices, args)
  const daemons: Daemon[] = []
  const tasks: Task<Waiting>[] = []
  const settings = { http: { workers: 2 }, login: { freeAttempts: 100 } }
  try {
    for (const build of options.against) {
      const daemon = await startDaemon({ build, connections: 1, settings })
      daemons.push(daemon)
      const user = await daemon.appliance.addUser()
      for (const networks of options.networks)
        tasks.push({
          name: `${nameOf(build, 2)}, ${networks} networks`,
          run: () => beside(daemon, user, { ...options, networks }),
        })
    }
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const daemon of daemons) await daemon.close()
  }
}

interface Flood {
  readonly logins: number
  readonly networks: number
  readonly accounts: number
  readonly streams: number
  readonly honest: number
}

/** Each flood comes from other addresses, because the daemon remembers those of the previous one. */
let firstNetwork = 0

async function beside({ appliance }: Daemon, user: TestUser, { honest, ...flood }: Flood): Promise<Waiting> {
  const { url, ca } = appliance
  const logIn = async (): Promise<number> => {
    const client = appliance.client()
    const startedMs = performance.now()
    const { status } = await client.post('/auth', appliance.credentials(user))
    const tookMs = performance.now() - startedMs
    client.close()
    if (status !== 200) throw new Error(`an honest login was answered with ${status}`)
    return tookMs
  }
  const repeated = async (): Promise<number[]> => {
    const times: number[] = []
    for (let n = 0; n < honest; n++) times.push(await logIn())
    return times
  }
  const alone = await repeated()
  const startedMs = performance.now()
  const strangers = spawn(process.execPath, [
    join(import.meta.dirname, 'stranger-flood.mjs'),
    JSON.stringify({ url, ca, firstNetwork, ...flood }),
  ])
  firstNetwork += flood.networks
  const lines = createInterface(strangers.stdout)
  await once(lines, 'line')
  const ended = once(strangers, 'exit').then(() => performance.now() - startedMs)
  await sleep(300)
  const times = await repeated()
  return { alone: median(alone), median: median(times), total: Math.max(...times), floodMs: await ended }
}

function text(results: readonly Result<Waiting>[]): string {
  return table([
    ['ms of an honest login', 'alone', 'beside', 'slowest beside', 'wrong ones took'],
    ...results.map((row) => [
      row.name,
      ...[row.alone, row.median, row.total, row.floodMs].map((figure) => figure.toFixed(0)),
    ]),
  ])
}
