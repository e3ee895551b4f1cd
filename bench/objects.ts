import { randomBytes } from 'node:crypto'
import { createObject, readObject, server } from '../test/support/object-kit.ts'
import { driverOf, nameOf, sample, startDaemon, type Daemon, type Sample } from './daemon.ts'
import { table, takeTurns, warmUp, type Result, type Task } from './figures.ts'
import type { Call, Load } from './load.ts'
import { builds, count, readOptions, type Read } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(7, 'rounds, each of which measures everything once'),
  calls: count(2_000, 'calls of each kind per round'),
  warmup: count(12_000, 'encryptions before the first round, and a third as many calls of each other kind'),
  connections: count(16, 'keep-alive connections to each daemon'),
  workers: count(1, 'workers of each daemon'),
  against: builds,
}

type Options = Read<typeof choices>

/** Measures the CPU time of an object with one secret field, in turn with encryptions of 64 bytes. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('objects', choices, args)
  needTools()
  const closing: (() => Promise<void>)[] = []
  try {
    const tasks: Task<Sample>[] = []
    for (const build of options.against) {
      const { connections, workers } = options
      const daemon = await startDaemon({ build, connections, settings: { http: { workers } } })
      closing.push(() => daemon.close())
      // The driver of another release may be unable to send GET.
      const load = driverOf(daemon.appliance, { connections })
      closing.unshift(() => load.close())
      tasks.push(...(await tasksOf(daemon, load, nameOf(build, workers), options)))
    }
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const close of closing) await close()
  }
}

async function tasksOf(daemon: Daemon, load: Load, name: string, { calls, warmup }: Options): Promise<Task<Sample>[]> {
  const { appliance, admin, vault } = daemon
  const { pathname } = new URL(appliance.url)
  const id = await createObject(admin, vault)
  const { crypted } = await readObject(admin, id, '?decrypt=true')
  if (crypted?.['password'] !== server.password) throw new Error('the appliance does not decrypt what it encrypted')

  const headers = { 'content-type': 'application/json', 'x-http-token': admin.token ?? '' }
  const encrypt = daemon.call('encrypt/bench', { plaintext: randomBytes(64).toString('base64') })
  const create: Call = {
    path: `${pathname}/object`,
    headers,
    body: JSON.stringify({ groupid: vault, ...server }),
  }
  const read: Call = {
    method: 'GET',
    path: `${pathname}/object/${id}?decrypt=true`,
    headers: { 'x-http-token': admin.token ?? '' },
  }
  const drive = (call: Call, times: number) => sample({ pid: appliance.pid, load }, () => call, times)
  await warmUp(name, async () => {
    for (const call of [create, read]) await drive(call, Math.ceil(warmup / 3))
    await drive(encrypt, warmup)
  })
  const first = `encrypt 64 bytes, ${name}`
  return [
    { name: first, to: first, run: () => drive(encrypt, calls) },
    { name: `create an object, ${name}`, to: first, run: () => drive(create, calls) },
    { name: `read it decrypted, ${name}`, to: first, run: () => drive(read, calls) },
  ]
}

function text(results: readonly Result<Sample>[]): string {
  return table([
    ['call', 'workers', 'hosts', 'CPU µs/call', 'to encrypt', 'calls/s (aside)'],
    ...results.map(({ name, worker, host, total, ratio, rate }) => [
      name,
      ...[worker, host, total].map((figure) => figure.toFixed(0)),
      ratio.toFixed(2),
      rate.toFixed(0),
    ]),
  ])
}
