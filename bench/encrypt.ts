import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestAppliance } from '../test/support/appliance.ts'
import { makePki } from '../test/support/pki.ts'
import { driverOf, nameOf, sample, startDaemon, type Sample } from './daemon.ts'
import { table, takeTurns, warmUp, type Result } from './figures.ts'
import { createLoad, type Call, type Load, type LoadOptions } from './load.ts'
import { builds, count, counts, readOptions } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(7, 'rounds, each of which drives every server once'),
  requests: count(3_000, 'calls per server and round'),
  warmup: count(50_000, 'calls to each server before the first round'),
  connections: count(16, 'keep-alive connections to each server'),
  http: count(1, 'version of HTTP that the driver speaks, 1 or 2'),
  sizes: counts([64, 4096], 'bytes of plaintext'),
  workers: counts([2, 1], 'one daemon for each number of workers'),
  against: builds,
}

/** A server under load. */
interface Server {
  readonly name: string
  readonly pid: number
  readonly load: Load
  readonly callOf: (plaintext: Buffer) => Call
  /** Set for a server that is an appliance. */
  readonly appliance?: TestAppliance
  close(): Promise<unknown>
}

/** Settings of the driver for each server. */
type Driver = Pick<LoadOptions, 'connections' | 'http'>

interface Measured extends Driver {
  readonly workers: readonly number[]
}

interface Row extends Result<Sample> {
  readonly bytes: number
}

/** Measures the CPU time of an encryption, in turn with bare servers. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('encrypt', choices, args)
  needTools()
  const servers: Server[] = []
  try {
    for (const build of options.against)
      for (const workers of options.workers) servers.push(await startAppliance(build, workers, options))
    servers.unshift(...(await startMeasures(servers[0], options)))
    // V8 continues to compile for some ten thousand calls.
    for (const server of servers) await warmUp(server.name, () => drive(server, 64, options.warmup))
    const results: Row[] = []
    for (const bytes of options.sizes) {
      const tasks = servers.map((server) => ({
        name: server.name,
        run: () => drive(server, bytes, options.requests),
      }))
      results.push(...(await takeTurns(tasks, options.rounds)).map((result) => ({ ...result, bytes })))
    }
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const { close } of servers) await close()
  }
}

/** The servers to compare the appliance with: one with the same duties and nothing else, and one without any. */
async function startMeasures(like: Server | undefined, { workers, ...driver }: Measured): Promise<Server[]> {
  if (like?.appliance === undefined) throw new TypeError('there is nothing to compare with')
  const { config, token } = like.appliance
  const pki = makePki(join(tmpdir(), 'strongroom-test-pki'))
  const duties = {
    certificate: pki.certificate,
    key: pki.key,
    sqlite: config.store.sqlite,
    folder: token.directory,
    module: token.module,
    pinFile: token.pinFile,
    softhsmConf: token.softhsmConf,
  }
  const floorOf = (workers: number, name: string): Promise<Server> =>
    startServer(
      { name, file: 'floor-server.mjs', arguments: [JSON.stringify({ ...duties, workers })], driver },
      like.callOf,
    )
  const several = workers.filter((count) => count > 1)
  return [
    await floorOf(1, 'floor'),
    ...(await Promise.all(several.map((count) => floorOf(count, `floor, ${count} workers`)))),
    await startServer(
      { name: 'echo', file: 'echo-server.mjs', arguments: [pki.certificate, pki.key], driver },
      (plaintext) => ({ ...like.callOf(plaintext), path: '/' }),
    ),
  ]
}

interface OtherServer {
  readonly name: string
  readonly file: string
  readonly arguments: readonly string[]
  readonly driver: Driver
}

async function startServer(
  { name, file, arguments: given, driver }: OtherServer,
  callOf: Server['callOf'],
): Promise<Server> {
  const server = spawn(process.execPath, [join(import.meta.dirname, file), ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(server.stdout, 'data')
  const ca = readFileSync(makePki(join(tmpdir(), 'strongroom-test-pki')).ca, 'utf8')
  const load = createLoad({ origin: `https://127.0.0.1:${String(port).trim()}`, ca, ...driver })
  return {
    name,
    pid: server.pid ?? 0,
    load,
    callOf,
    async close() {
      await load.close()
      server.kill()
      await once(server, 'exit')
    },
  }
}

/** The daemon with its default settings. Checks that an encryption can be decrypted. */
async function startAppliance(build: string, workers: number, driver: Driver): Promise<Server> {
  const daemon = await startDaemon({ build, connections: 1, settings: { http: { workers } } })
  const { admin, vault, appliance, call } = daemon
  const load = driverOf(appliance, driver)
  const close = async (): Promise<void> => {
    await load.close()
    await daemon.close()
  }
  try {
    const plaintext = randomBytes(64).toString('base64')
    const { CALLINFO } = await admin.must('POST', `/transparent/${vault}/encrypt/bench`, { plaintext })
    const { ciphertext } = CALLINFO
    const decrypted = await admin.must('POST', `/transparent/${vault}/decrypt/bench`, { ciphertext })
    if (decrypted.CALLINFO['plaintext'] !== plaintext)
      throw new Error('the appliance does not decrypt what it encrypted')
  } catch (error) {
    await close()
    throw error
  }
  return {
    name: `strongroom, ${nameOf(build, workers)}`,
    pid: appliance.pid,
    appliance,
    load,
    callOf: (plaintext) => call('encrypt/bench', { plaintext: plaintext.toString('base64') }),
    close,
  }
}

function drive(server: Server, bytes: number, requests: number): Promise<Sample> {
  const call = server.callOf(randomBytes(bytes))
  return sample(server, () => call, requests)
}

function text(results: readonly Row[]): string {
  return table([
    ['server', 'bytes', 'workers', 'hosts', 'primary', 'CPU µs/call', 'to floor', 'calls/s (aside)'],
    ...results.map(({ name, bytes, worker, host, primary, total, ratio, rate }) => [
      name,
      ...[bytes, worker, host, primary, total].map((figure) => figure.toFixed(0)),
      ratio.toFixed(2),
      rate.toFixed(0),
    ]),
  ])
}
