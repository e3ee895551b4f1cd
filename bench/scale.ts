import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { choresOf } from '../src/daemon/housekeeping.ts'
import type { TestClient } from '../test/support/client.ts'
import { cpuTimes, rssBytes } from './cpu.ts'
import { dist, sample, startDaemon, type Daemon } from './daemon.ts'
import { median, table, takeTurns } from './figures.ts'
import { makeKeys } from './keys.ts'
import { count, readOptions, type Read } from './options.ts'
import { databaseOf, makeModel, makeObjects, makeTrail, makeUsers, makeVaults, needles } from './scale-data.ts'
import { needTools } from './tools.ts'

const choices = {
  keys: count(100_000, 'keys in the larger appliance'),
  objects: count(1_000_000, 'objects in it'),
  vaults: count(100, 'vaults in it, among which the objects are shared out'),
  users: count(10_000, 'users of it'),
  records: count(10_000_000, 'records in its audit trail'),
  rounds: count(5, 'rounds of starts and of encryptions'),
  calls: count(15, 'times that each search is asked'),
  connections: count(16, 'keep-alive connections that encrypt'),
}

type Options = Read<typeof choices>

/** One of the two appliances, and clients for it. */
interface Side {
  readonly daemon: Daemon
  /** A member of every vault. */
  readonly all: TestClient
  /** A member of the first half of the vaults. */
  readonly half: TestClient
  /** A member of one vault. */
  readonly one: TestClient
}

/** Measures what grows with the amount of data: an appliance with much of it in turn with an empty one. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('scale', choices, args)
  needTools()
  const daemons: Daemon[] = []
  try {
    const settings = {
      http: { workers: 1 },
      hsm: { vaultKeys: 'wrapped' },
      session: { idleTimeoutMs: 86_400_000, absoluteTimeoutMs: 86_400_000 },
    }
    const start = async (sizes: Options): Promise<Side> => {
      const daemon = await startDaemon({ connections: options.connections, settings })
      daemons.push(daemon)
      return { daemon, all: daemon.admin, ...(await fill(daemon, sizes)) }
    }
    const empty = await start({ ...options, keys: 1, objects: 1, vaults: 1, users: 1, records: 1 })
    const full = await start(options)
    const report = [
      await starts(empty, full, options),
      memory(empty, full),
      await searches(empty, full, options),
      memory(empty, full),
      await encryptions(empty, full, options),
      await chores(empty, full),
      await commands(empty, full),
    ]
    const text = report.map(({ title, rows }) => `${title}\n\n${table(rows)}`).join('\n\n')
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, report }) : text)
  } finally {
    for (const daemon of daemons) await daemon.close()
  }
}

interface Section {
  readonly title: string
  readonly rows: readonly (readonly string[])[]
}

/** Fills the appliance. Resolves to the clients that see a part of it. */
async function fill(daemon: Daemon, sizes: Options): Promise<Pick<Side, 'half' | 'one'>> {
  const { appliance, vault, admin } = daemon
  const step = async (what: string, work: () => unknown): Promise<void> => {
    const startedMs = performance.now()
    await work()
    if (sizes.keys > 1) process.stderr.write(`${what} in ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`)
  }
  const vaults = [Number(vault)]
  const model = await makeModel(admin, vault)
  await step(`${sizes.vaults} vaults`, async () => vaults.push(...(await makeVaults(admin, sizes.vaults - 1))))
  await step(`${sizes.users} users`, () => makeUsers(appliance, 1, sizes.users))
  await step(`${sizes.keys} keys`, () => makeKeys(daemon, sizes.keys))
  await step(`${sizes.records} records`, () => makeTrail(appliance, sizes.records))
  await appliance.stop()
  await step(`${sizes.objects} objects`, () => makeObjects(databaseOf(appliance), model, vaults, sizes.objects))
  await appliance.restart()
  const memberOf = async (places: readonly number[]): Promise<TestClient> => {
    const user = await appliance.addUser()
    for (const place of places) await admin.must('POST', `/vault/${place}/member/${user.id}`, { status: 1 })
    return appliance.login(user)
  }
  return { half: await memberOf(vaults.slice(0, Math.ceil(vaults.length / 2))), one: await memberOf([Number(vault)]) }
}

/** Time from the start of the process until it has answered an encryption. */
async function startMs({ daemon }: Side, plaintext: string): Promise<number> {
  const { appliance, call, load } = daemon
  await appliance.stop()
  const startedMs = performance.now()
  const starting = appliance.restart()
  while (
    !(await load
      .drive(() => call('encrypt/k0', { plaintext }), 1)
      .then(
        () => true,
        () => false,
      ))
  )
    await sleep(5)
  const tookMs = performance.now() - startedMs
  await starting
  return tookMs
}

async function starts(empty: Side, full: Side, { rounds }: Options): Promise<Section> {
  const plaintext = randomBytes(64).toString('base64')
  const task = (name: string, side: Side) => ({
    name,
    run: async () => ({ total: await startMs(side, plaintext) }),
  })
  const results = await takeTurns([task('empty', empty), task('full', full)], rounds)
  return {
    title: 'Start to ready',
    rows: [
      ['appliance', 'ms', 'to empty'],
      ...results.map(({ name, total, ratio }) => [name, total.toFixed(0), ratio.toFixed(2)]),
    ],
  }
}

function memory(empty: Side, full: Side): Section {
  const ofSide = ({ daemon: { appliance } }: Side) =>
    ['worker', 'strongroom-keeper', appliance.config.hsm.sockets[0] ?? '', 'strongroomd'].map(
      (what) => rssBytes(appliance.pid, what) / 2 ** 20,
    )
  const names = ['worker', 'keeper', 'a token host', 'primary']
  const [before, after] = [ofSide(empty), ofSide(full)]
  return {
    title: 'Resident memory',
    rows: [
      ['process', 'empty MiB', 'full MiB'],
      ...names.map((name, at) => [name, ...[before, after].map((side) => (side[at] ?? 0).toFixed(0))]),
    ],
  }
}

/** The calls for both appliances, with the search texts of the data. */
function questions({ daemon: { vault }, all, half, one }: Side, objects: number) {
  const find = (needle: string) => `/find?needle=${encodeURIComponent(needle)}`
  const everywhere: readonly (readonly [string, string])[] = [
    ['1 object', needles.one(objects)],
    ['100 objects', needles.hundred],
    ['a tenth of the objects', needles.tenth],
    ['no object', needles.none],
    ['no object, though each trigram is in all', needles.noneOfCommonParts],
    ['no object, two letters', needles.noneOfTwoLetters],
  ]
  const ask = (name: string, client: TestClient, path: string) => ({ name, client, path })
  return [
    ...everywhere.flatMap(([what, needle]) => [
      ask(`find ${what}, in all vaults`, all, find(needle)),
      ask(`find ${what}, in one vault`, one, find(needle)),
    ]),
    ask('find a tenth of the objects, which lie in other vaults, in half of the vaults', half, find(needles.elsewhere)),
    ask('list a vault', all, `/vault/${vault}`),
    ask('list the vaults', all, '/vault'),
    ask('list a page of keys', all, `/transparent/${vault}/keys`),
    ask('find 1 user', all, '/user?searchstring=person123@'),
    ask('find a tenth of the users', all, '/user?searchstring=falcon'),
    ask('find no user', all, `/user?searchstring=${needles.none}`),
    ask('list all users', all, '/user'),
  ]
}

async function searches(empty: Side, full: Side, { objects, calls }: Options): Promise<Section> {
  const rows = [['search, one at a time', 'KiB', 'ms', 'longest', 'CPU ms', 'empty ms']]
  const asked = questions(empty, objects)
  for (const [at, question] of questions(full, objects).entries()) {
    const [before, after] = [await timed(empty, asked[at] ?? question, calls), await timed(full, question, calls)]
    const { kibibytes, cpuMs, tookMs } = after
    rows.push([
      question.name,
      kibibytes.toFixed(0),
      median(tookMs).toFixed(1),
      Math.max(...tookMs).toFixed(1),
      cpuMs.toFixed(1),
      median(before.tookMs).toFixed(1),
    ])
  }
  return { title: 'Searches', rows }
}

const agents = new Map<string, Agent>()

/** Without the client's own checks, which would take longer than the answer. */
async function timed(
  { daemon: { appliance } }: Side,
  { client, path }: { readonly client: TestClient; readonly path: string },
  calls: number,
) {
  const dispatcher = agents.get(appliance.url) ?? new Agent({ connections: 1, connect: { ca: appliance.ca } })
  agents.set(appliance.url, dispatcher)
  const headers = { 'x-http-token': client.token ?? '' }
  const tookMs: number[] = []
  let bytes = 0
  let spent = 0
  for (let call = -1; call < calls; call++) {
    const cpu = cpuTimes(appliance.pid).worker
    const startedMs = performance.now()
    const { statusCode, body } = await request(appliance.url + path, { dispatcher, headers })
    bytes = (await body.bytes()).length
    if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`)
    // The first call fills the caches of disk and database.
    if (call === -1) continue
    tookMs.push(performance.now() - startedMs)
    spent += cpuTimes(appliance.pid).worker - cpu
  }
  return { tookMs, kibibytes: bytes / 1024, cpuMs: spent / calls / 1000 }
}

async function encryptions(empty: Side, full: Side, { rounds }: Options): Promise<Section> {
  const plaintext = randomBytes(64).toString('base64')
  const task = (name: string, { daemon: { appliance, load, call } }: Side) => ({
    name,
    run: () => sample({ pid: appliance.pid, load }, () => call('encrypt/k0', { plaintext }), 4_000),
  })
  const tasks = [task('empty', empty), task('full', full)]
  for (const { run } of tasks) await run()
  const results = await takeTurns(tasks, rounds)
  return {
    title: 'Encryptions with one key',
    rows: [
      ['appliance', 'CPU µs/call', 'to empty'],
      ...results.map(({ name, total, ratio }) => [name, total.toFixed(0), ratio.toFixed(2)]),
    ],
  }
}

/** The periodic work of the first worker, during which it answers no calls. */
async function chores(empty: Side, full: Side): Promise<Section> {
  const rows = [['chore', 'ms', 'empty ms']]
  const ofEmpty = choresOf(empty.daemon.appliance.services)
  for (const [at, chore] of choresOf(full.daemon.appliance.services).entries()) {
    rows.push([chore.what, await choreMs(chore), await choreMs(ofEmpty[at] ?? chore)])
  }
  return { title: 'Chores, every ten minutes', rows }
}

async function choreMs({ run }: { readonly run: () => Promise<unknown> }): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    const startedMs = performance.now()
    await run()
    times.push(performance.now() - startedMs)
  }
  return median(times).toFixed(1)
}

/** Commands of the operator while the daemon runs. */
async function commands(empty: Side, full: Side): Promise<Section> {
  const rows = [['command', 's', 'most MiB', 'empty s', 'most MiB']]
  for (const command of ['doctor', 'user list', 'audit verify', 'audit verify --database']) {
    const outcomes = [await consoleRun(full, command), await consoleRun(empty, command)]
    rows.push([command, ...outcomes.flatMap(({ seconds, peak }) => [seconds.toFixed(1), peak.toFixed(0)])])
  }
  return { title: 'Commands', rows }
}

async function consoleRun({ daemon: { appliance } }: Side, command: string) {
  const args = [join(dist, 'bin/strongroom.js'), '--config', appliance.configFile, ...command.split(' '), '--json']
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  let peak = 0
  const exited = new Promise((resolve) => child.once('exit', resolve))
  while (child.exitCode === null && child.signalCode === null) {
    await Promise.race([exited, sleep(50)])
    peak = Math.max(peak, peakOf(child.pid ?? 0))
  }
  return { seconds: (performance.now() - startedMs) / 1000, peak }
}

/** Peak memory in MiB; 0 for a process that has ended. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
