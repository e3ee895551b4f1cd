import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { eventually, processesOf, type Processes } from '../test/support/fault-kit.ts'
import { nameOf, startDaemon, type Daemon } from './daemon.ts'
import { table, takeTurns, type Figures, type Result, type Task } from './figures.ts'
import { builds, count, readOptions, type Read } from './options.ts'
import type { Call } from './load.ts'
import { needTools } from './tools.ts'

type Fault = (daemon: Daemon, before: Processes) => readonly number[] | Promise<readonly number[]>

const to =
  (signal: 'SIGKILL' | 'SIGSTOP', chosen: (before: Processes) => readonly number[]): Fault =>
  (_daemon, before) => {
    const victims = chosen(before)
    for (const pid of victims) process.kill(pid, signal)
    return victims
  }

/** Faults by name. Each resolves to the processes that it affected. */
const faults: Readonly<Record<string, Fault>> = {
  'one worker killed': to('SIGKILL', ({ workers }) => workers.slice(0, 1)),
  'both workers killed': to('SIGKILL', ({ workers }) => workers),
  'one worker stopped': to('SIGSTOP', ({ workers }) => workers.slice(0, 1)),
  'both workers stopped': to('SIGSTOP', ({ workers }) => workers),
  'both hosts killed': to('SIGKILL', ({ hosts }) => hosts),
  'one host stopped': to('SIGSTOP', ({ hosts }) => hosts.slice(0, 1)),
  'both hosts stopped': to('SIGSTOP', ({ hosts }) => hosts),
  'keeper killed': to('SIGKILL', ({ keeper }) => keeper),
  'keeper stopped': to('SIGSTOP', ({ keeper }) => keeper),
  'all killed, started anew': async ({ appliance }, { workers, hosts, keeper }) => {
    await appliance.restart('SIGKILL')
    return [...workers, ...hosts, ...keeper]
  },
}

/** Time until the processes that the daemon starts last are up. */
const settledMs = 5_000

const names = Object.keys(faults)

const choices = {
  rounds: count(5, 'rounds, each with a daemon of its own for every fault'),
  clients: count(8, 'clients with a connection each, which they make anew when it is lost'),
  pause: count(20, 'milliseconds from one call to the next, of all clients together'),
  faults: {
    takes: '<1,2>',
    says: `which faults: ${names.map((name, at) => `${at + 1} ${name}`).join(', ')}`,
    fallback: names,
    called: 'all',
    read: (text: string) => text.split(',').map((at) => names[Number(at) - 1] ?? names[0] ?? ''),
  },
  against: builds,
}

type Options = Read<typeof choices>

/** Seconds. `total`: the longest time that any client was without a successful answer. */
interface Recovery extends Figures {
  /** The longest time that all clients were without one. */
  readonly all: number
  /** Time until the affected processes were gone and replaced. */
  readonly replaced: number
  /** Number of answers that were errors, and of lost connections. */
  readonly errors: number
}

/** Measures how long clients are without a successful answer when processes of the daemon are killed or stopped. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('recovery', choices, args)
  needTools()
  const tasks = options.faults.flatMap((fault) =>
    options.against.map((build): Task<Recovery> => ({
      name: `${fault}, ${nameOf(build, 2)}`,
      run: () => measure(fault, build, options),
    })),
  )
  const results = await takeTurns(tasks, options.rounds)
  console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
}

async function measure(fault: string, build: string, { clients, pause }: Options): Promise<Recovery> {
  const daemon = await startDaemon({ build, connections: 1, settings: { http: { workers: 2 } } })
  try {
    await daemon.load.drive(() => encryption(daemon), 1_000)
    // The keeper is needed only for making keys.
    let keys = 0
    const next = fault.startsWith('keeper') ? () => daemon.call(`keys/bench-${keys++}`, {}) : () => encryption(daemon)
    const load = startClients(daemon, next, clients, pause)
    await sleep(settledMs)
    const before = processesOf(daemon.appliance)
    const startedMs = performance.now()
    const victims = await faults[fault]?.(daemon, before)
    await eventually(() => isWhole(daemon, before, victims ?? []))
    const replaced = (performance.now() - startedMs) / 1_000
    await load.settled()
    return { ...(await load.end(startedMs)), replaced }
  } finally {
    await daemon.close()
  }
}

const encryption = (daemon: Daemon): Call => daemon.call('encrypt/bench', { plaintext })
const plaintext = randomBytes(64).toString('base64')

function isWhole({ appliance }: Daemon, before: Processes, victims: readonly number[]): boolean {
  const now = processesOf(appliance)
  const isAsMany = (['workers', 'hosts', 'keeper'] as const).every((role) => now[role].length === before[role].length)
  return isAsMany && victims.every((pid) => !existsSync(`/proc/${pid}`))
}

/** Starts clients that call in turn, each with one call under way, until `end`. */
function startClients(daemon: Daemon, next: () => Call, clients: number, pause: number) {
  const good: { readonly client: number; readonly atMs: number }[] = []
  const load = { errors: 0, isOver: false }
  const loop = async (number: number): Promise<void> => {
    let connection = connect(daemon)
    while (!load.isOver) {
      const calledMs = performance.now()
      try {
        const response = await connection.request({ method: 'POST', ...next() })
        await response.body.text()
        if (response.statusCode < 300) good.push({ client: number, atMs: performance.now() })
        else load.errors++
      } catch {
        load.errors++
        await connection.destroy()
        connection = connect(daemon)
      }
      await sleep(Math.max(0, calledMs + clients * pause - performance.now()))
    }
    await connection.destroy()
  }
  const loops = Array.from({ length: clients }, async (_, number) => {
    await sleep(number * pause)
    await loop(number)
  })
  const hadSome = (number: number, sinceMs: number): boolean =>
    good.some(({ client, atMs }) => client === number && atMs > sinceMs)
  return {
    /** Resolves when every client has had a successful answer from now on. */
    settled: () => {
      const sinceMs = performance.now() + clients * pause
      return eventually(() => loops.every((_, number) => hadSome(number, sinceMs)))
    },
    async end(startedMs: number) {
      load.isOver = true
      await Promise.all(loops)
      const gapOf = (answers: readonly { readonly atMs: number }[]): number => {
        const times = [startedMs, ...answers.map(({ atMs }) => atMs).filter((atMs) => atMs > startedMs)]
        return Math.max(...times.map((atMs, at) => atMs - (times[at - 1] ?? atMs))) / 1_000
      }
      const ofEach = loops.map((_, number) => gapOf(good.filter(({ client }) => client === number)))
      return { total: Math.max(...ofEach), all: gapOf(good), errors: load.errors }
    },
  }
}

const connect = ({ appliance }: Daemon): Client =>
  new Client(new URL(appliance.url).origin, { connect: { ca: appliance.ca }, pipelining: 1 })

function text(results: readonly Result<Recovery>[]): string {
  return table([
    ['seconds without a good answer', 'of a client', 'of all', 'replaced after', 'errors'],
    ...results.map(({ name, total, all, replaced, errors }) => [
      name,
      ...[total, all, replaced].map((seconds) => seconds.toFixed(2)),
      errors.toFixed(0),
    ]),
  ])
}
