import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { TestAppliance } from '../test/support/appliance.ts'
import { makePki } from '../test/support/pki.ts'
import { cpuTimes, type CpuTimes, type Role } from './cpu.ts'
import { createLoad, type Call, type Load } from './load.ts'

const usage = `Usage: npm run bench:encrypt -- [options]

  --rounds N       rounds, each of which drives every server once (7)
  --requests N     calls per server and round (3000)
  --warmup N       calls to each server before the first round (20000)
  --connections N  keep-alive connections to each server (16)
  --sizes A,B      bytes of plaintext (64,4096)
  --workers A,B    one daemon for each number of workers (2,1)
  --against DIR    another build of the daemon, driven in the same rounds; as often as you like
  --json           the result as one line of JSON and nothing else`

/** A server under load. */
interface Subject {
  readonly name: string
  readonly pid: number
  readonly load: Load
  callOf(plaintext: Buffer): Call
  close(): Promise<unknown>
}

/** Microseconds per call, and calls per second. */
interface Sample extends CpuTimes {
  readonly total: number
  readonly rate: number
}

interface Result extends Sample {
  readonly server: string
  readonly bytes: number
  /** Of the total to the echo server's of the same round. */
  readonly ratio: number
}

const dist = resolve(import.meta.dirname, '../dist')

/** Measures what an encryption costs in CPU time, beside a bare Koa server that is driven in turn. */
export async function main(args: string[]): Promise<void> {
  const options = parseOptions(args)
  const subjects: Subject[] = []
  try {
    subjects.push(await startEcho(options.connections))
    for (const build of [dist, ...options.against.map((path) => resolve(path))])
      for (const workers of options.workers) subjects.push(await startAppliance(build, workers, options.connections))
    // V8 goes on compiling for some ten thousand calls.
    for (const { load, callOf } of subjects) await load.drive(callOf(randomBytes(64)), options.warmup)
    const results: Result[] = []
    for (const bytes of options.sizes) results.push(...(await measure(subjects, bytes, options)))
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : table(results))
  } finally {
    for (const { load, close } of subjects) {
      await load.close()
      await close()
    }
  }
}

function parseOptions(args: string[]) {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const
  const { values } = parseArgs({
    args,
    options: {
      rounds: text('7'),
      requests: text('3000'),
      warmup: text('20000'),
      connections: text('16'),
      sizes: text('64,4096'),
      workers: text('2,1'),
      against: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) throw new Error(usage)
  return {
    rounds: Number(values.rounds),
    requests: Number(values.requests),
    warmup: Number(values.warmup),
    connections: Number(values.connections),
    sizes: values.sizes.split(',').map(Number),
    workers: values.workers.split(',').map(Number),
    against: values.against,
    json: values.json,
  }
}

async function startEcho(connections: number): Promise<Subject> {
  const pki = makePki(join(tmpdir(), 'strongroom-test-pki'))
  const server = spawn(process.execPath, [join(import.meta.dirname, 'echo-server.mjs'), pki.certificate, pki.key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(server.stdout, 'data')
  const ca = readFileSync(pki.ca, 'utf8')
  return {
    name: 'echo',
    pid: server.pid ?? 0,
    load: createLoad({ origin: `https://127.0.0.1:${String(port).trim()}`, ca, connections }),
    callOf: (plaintext) => ({ path: '/', headers: { 'content-type': 'application/json' }, body: bodyOf(plaintext) }),
    close: () => {
      server.kill()
      return once(server, 'exit')
    },
  }
}

async function startAppliance(build: string, workers: number, connections: number): Promise<Subject> {
  const settings = { http: { workers }, audit: { sealIntervalMs: 5_000 } }
  const appliance = await TestAppliance.start(settings, join(build, 'main.js'))
  const name = `strongroom, ${workers} ${workers === 1 ? 'worker' : 'workers'}${build === dist ? '' : ` (${basename(build)})`}`
  try {
    return await subjectOf(appliance, name, connections)
  } catch (error) {
    await appliance.close()
    throw error
  }
}

/** The daemon as it ships, with a key in a vault of its own; what it encrypts must come back. */
async function subjectOf(appliance: TestAppliance, name: string, connections: number): Promise<Subject> {
  const client = await appliance.login()
  const created = await client.must('POST', '/vault', { vaultname: 'bench' })
  const [{ id: vault }] = created['VAULTS'] as [{ id: string }]
  const plaintext = randomBytes(64).toString('base64')
  const { CALLINFO } = await client.must('POST', `/transparent/${vault}/encrypt/bench`, { plaintext })
  const { ciphertext } = CALLINFO
  const decrypted = await client.must('POST', `/transparent/${vault}/decrypt/bench`, { ciphertext })
  if (decrypted.CALLINFO['plaintext'] !== plaintext) throw new Error('the appliance does not decrypt what it encrypted')
  const { origin, pathname } = new URL(appliance.url)
  const headers = { 'content-type': 'application/json', 'x-http-token': client.token ?? '' }
  return {
    name,
    pid: appliance.pid,
    load: createLoad({ origin, ca: appliance.ca, connections }),
    callOf: (plain) => ({ path: `${pathname}/transparent/${vault}/encrypt/bench`, headers, body: bodyOf(plain) }),
    close: () => appliance.close(),
  }
}

const bodyOf = (plaintext: Buffer): string => JSON.stringify({ plaintext: plaintext.toString('base64') })

/** One result per server: medians over the rounds. */
async function measure(
  subjects: readonly Subject[],
  bytes: number,
  { rounds, requests }: { rounds: number; requests: number },
): Promise<Result[]> {
  const samples = new Map<string, (Sample & { ratio: number })[]>(subjects.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    let echo: number | undefined
    for (const subject of subjects) {
      const sample = await sampleOf(subject, subject.callOf(randomBytes(bytes)), requests)
      echo ??= sample.total
      samples.get(subject.name)?.push({ ...sample, ratio: sample.total / echo })
    }
  }
  return [...samples].map(([server, taken]) => {
    const of = (figure: keyof (typeof taken)[number]) => median(taken.map((sample) => sample[figure]))
    const { primary, worker, host } = { primary: of('primary'), worker: of('worker'), host: of('host') }
    return { server, bytes, primary, worker, host, total: of('total'), ratio: of('ratio'), rate: of('rate') }
  })
}

async function sampleOf({ pid, load }: Subject, call: Call, requests: number): Promise<Sample> {
  const before = cpuTimes(pid)
  const { wallMs } = await load.drive(call, requests)
  const after = cpuTimes(pid)
  const spent = (role: Role) => (after[role] - before[role]) / requests
  const [primary, worker, host] = [spent('primary'), spent('worker'), spent('host')]
  return { primary, worker, host, total: primary + worker + host, rate: (requests * 1000) / wallMs }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2
}

function table(results: readonly Result[]): string {
  const rows = [
    ['server', 'bytes', 'workers', 'hosts', 'primary', 'CPU µs/call', 'to echo', 'calls/s (aside)'],
    ...results.map(({ server, bytes, worker, host, primary, total, ratio, rate }) => [
      server,
      ...[bytes, worker, host, primary, total].map((figure) => figure.toFixed(0)),
      ratio.toFixed(2),
      rate.toFixed(0),
    ]),
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
  return rows.map(line).join('\n')
}
