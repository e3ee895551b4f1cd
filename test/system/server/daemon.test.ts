import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { buildProgram } from '../../support/built-program.ts'
import { eventually } from '../../support/fault-kit.ts'
import { issueCertificate, makePki } from '../../support/pki.ts'
import type { Pki } from '../../support/pki.ts'
import { mayOpenNoMore, signalIfThere } from '../../support/processes.ts'
import { run } from './listener.ts'

/** The worker of these tests: the real listener, with calls that name the worker once a file of their name exists. */
const tinyWorker = `
import { existsSync } from 'node:fs'
import { serverCertificate } from './daemon/listeners.ts'
import { Fault } from './fault.ts'
import { createServer } from './http/server/server.ts'
import { runWorker } from './daemon/worker-process.ts'

runWorker(async ({ config, slot, log }) => {
  const folder = config.audit.directory
  if (existsSync(folder + '/broken')) throw new Fault('store.unavailable', 'mend store.sqlite')
  const server = createServer({
    http: config.http, tls: config.tls, log,
    readCertificate: () => serverCertificate(config.tls),
    handle(request, response) {
      log.info('called ' + request.url)
      if (request.url === '/spin') for (;;);
      const answer = () => existsSync(folder + request.url) ? response.end(JSON.stringify({ slot, pid: process.pid })) : setTimeout(answer, 20)
      answer()
    },
  })
  return { listen: () => server.listen(), close: () => server.close(), reload: async () => server.reloadCertificate() }
})
`

/** A primary without the rest of the daemon, which quickly notices a worker that does not answer. */
const hastyPrimary = `
import { systemClock } from './clock.ts'
import { createCluster } from './daemon/cluster.ts'
import { loadConfig } from './config/loader.ts'
import { createLog } from './log.ts'

const log = createLog({ level: 'info', name: 'hasty' })
const workerEntry = new URL('./worker.js', import.meta.url).pathname
const cluster = createCluster({ config: loadConfig(process.argv[3]), workerEntry, clock: systemClock, log, heartbeatMs: 100 })
log.info(await cluster.start(), 'listening')
`

let built: string
let folder: string
let pki: Pki
const daemons: ChildProcess[] = []

beforeAll(async () => {
  built = copyOfBuild()
  await buildProgram(tinyWorker, join(built, 'bin/worker.js'))
  folder = mkdtempSync(join(tmpdir(), 'strongroom-daemon-'))
  pki = makePki(folder)
  await buildProgram(hastyPrimary, join(built, 'bin/hasty.js'))
  writeFileSync(join(folder, 'who'), '')
})
afterEach(async () => {
  for (const daemon of daemons.splice(0)) {
    if (daemon.exitCode !== null || daemon.signalCode !== null) continue
    daemon.kill('SIGKILL')
    await once(daemon, 'exit')
  }
  rmSync(join(folder, 'broken'), { force: true })
})
afterAll(() => {
  for (const path of [built, folder]) rmSync(path, { recursive: true, force: true })
})

/** A copy of the build to modify. It is below node_modules, so that its imports are found. */
function copyOfBuild(): string {
  const cache = resolve('node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const copy = mkdtempSync(join(cache, 'strongroom-'))
  cpSync(resolve('dist'), copy, { recursive: true })
  return copy
}

interface Given {
  readonly sections: object
  readonly http: object
  readonly environment: NodeJS.ProcessEnv
  readonly entry: string
  readonly args: readonly string[]
  /** The soft and the hard limit of open files of each process. */
  readonly mostFiles: number | undefined
}

interface Daemon {
  readonly process: ChildProcess
  readonly exit: Promise<number | null>
  /** Resolves to the first line of the journal that matches, also an earlier one. */
  line(pattern: RegExp): Promise<{ port: number }>
  errors(): string
}

function givenConfig(http: object, sections: object): string {
  const file = join(folder, 'strongroom.json')
  const hsm = { module: '/none', token: 'pkcs11:token=x', pinFile: 'pin', sockets: ['host.sock'], spawn: false }
  const tls = { certificate: pki.certificate, key: pki.key }
  writeFileSync(
    file,
    JSON.stringify({
      http: { host: '127.0.0.1', port: 0, workers: 2, ...http },
      tls,
      hsm,
      store: { sqlite: 'db' },
      audit: { directory: '.' },
      monitor: { enabled: false },
      ...sections,
    }),
  )
  return file
}

function givenDaemon({
  http = {},
  sections = {},
  environment = {},
  entry = 'bin/strongroomd.js',
  args = [],
  mostFiles,
}: Partial<Given> = {}): Daemon {
  const { JOURNAL_STREAM: _journal, ...inherited } = process.env
  const limit = mostFiles === undefined ? [] : ['prlimit', `--nofile=${mostFiles}`]
  const program = [process.execPath, join(built, entry), '--config', givenConfig(http, sections), ...args]
  const [command = '', ...words] = [...limit, ...program]
  const child = spawn(command, words, { env: { ...inherited, ...environment } })
  daemons.push(child)
  const lines: string[] = []
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const exit = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  return {
    process: child,
    exit,
    errors: () => errors,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (line: string): void => void (pattern.test(line) && resolve(JSON.parse(line)))
        lines.forEach(look)
        reader.on('line', look)
        reader.on('close', () => reject(new Error(`never said ${pattern}: ${lines.join('\n')} ${errors}`)))
      }),
  }
}

const call = (port: number, path = '/who'): Promise<string> =>
  run('curl', ['-s', '-S', '--cacert', pki.ca, `https://localhost:${port}/${path.slice(1)}`])
const listening = async (daemon: Daemon): Promise<number> => (await daemon.line(/"msg":"listening"/)).port

const slots = (seen: Map<number, number>): number[] => [...seen.keys()].toSorted((a, b) => a - b)

async function workersAt(port: number): Promise<Map<number, number>> {
  const seen = new Map<number, number>()
  for (let i = 0; i < 8; i++) {
    const { slot, pid }: { slot: number; pid: number } = JSON.parse(await call(port))
    seen.set(slot, pid)
  }
  return seen
}

it('a killed worker is replaced in the same slot, and SIGTERM ends all with exit code 0', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const before = await workersAt(port)
  expect(slots(before)).toEqual([1, 2])

  process.kill(before.get(2) ?? 0, 'SIGKILL')
  await daemon.line(/worker 2 ended with SIGKILL, not by the daemon: journalctl -k .*; the next one starts soon/)
  await expect.poll(async () => slots(await workersAt(port))).toEqual([1, 2])
  const after = await workersAt(port)
  expect(after.get(1)).toBe(before.get(1))
  expect(after.get(2)).not.toBe(before.get(2))

  daemon.process.kill('SIGTERM')
  expect(await daemon.exit).toBe(0)
  for (const pid of after.values()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

it('where no process can be started, the daemon tries again until one can', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const before = await workersAt(port)
  const mayOpen = (files: number) => run('prlimit', [`--pid=${daemon.process.pid}`, `--nofile=${files}:`])
  // The soft limit: open files stay open, and fork() fails with EMFILE, for the spare worker too.
  await mayOpen(3)
  process.kill(before.get(2) ?? 0, 'SIGKILL')
  await daemon.line(/no process for a worker could be started.*EMFILE/)
  await mayOpen(1024)
  await expect.poll(async () => slots(await workersAt(port))).toEqual([1, 2])
  expect((await workersAt(port)).get(1)).toBe(before.get(1))

  daemon.process.kill('SIGTERM')
  expect(await daemon.exit).toBe(0)
})

it('SIGTERM while a worker loads its program ends the daemon, at once', async () => {
  // Longer than this test.
  const daemon = givenDaemon({ http: { drainTimeoutMs: 60_000 } })
  const { pid } = daemon.process
  const programs = () => run('ps', ['--ppid', String(pid), '-o', 'args='])
  await expect.poll(programs, { interval: 5 }).toContain('worker.js')
  daemon.process.kill('SIGTERM')
  expect(await daemon.exit).toBe(0)
})

it('a worker that stopped answering is killed and replaced', async () => {
  const daemon = givenDaemon({ entry: 'bin/hasty.js' })
  const port = await listening(daemon)
  const spinning = call(port, '/spin')
  await daemon.line(/does not answer/)
  expect(await spinning).toMatch(/^curl:/)
  await expect.poll(async () => slots(await workersAt(port))).toEqual([1, 2])
})

it('a worker that is stopped is killed and replaced, long before pings stay away', async () => {
  const daemon = givenDaemon()
  const before = await workersAt(await listening(daemon))
  process.kill(before.get(2) ?? 0, 'SIGSTOP')
  await daemon.line(/the worker is stopped/)
  await daemon.line(/worker 2 ended with SIGKILL; the next one starts soon/)
  const port = await listening(daemon)
  await expect.poll(async () => slots(await workersAt(port))).toEqual([1, 2])
  expect((await workersAt(port)).get(1)).toBe(before.get(1))
})

it('a worker that may open no more files, so that it gets no connection, lets its calls finish and is replaced', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const pid = (await workersAt(port)).get(1) ?? 0
  const underWay = ['/later', '/later'].map((path) => call(port, path))
  await daemon.line(/"worker-1","msg":"called \/later/)
  // The primary accepts connections for it, and cannot pass them on.
  mayOpenNoMore(pid)
  await eventually(async () => (await call(port)).startsWith('curl:'))
  await daemon.line(/gets no more connections.*LimitNOFILE=/)
  writeFileSync(join(folder, 'later'), '')
  for (const answer of await Promise.all(underWay))
    expect(JSON.parse(answer)).toMatchObject({ slot: expect.any(Number) })
  await eventually(async () => ![pid, undefined].includes((await workersAt(port)).get(1)))
})

it('workers that may all open no more files are replaced one after the other: a new call waits, and is not refused', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const before = await workersAt(port)
  const underWay = ['/last', '/last'].map((path) => call(port, path))
  for (const slot of [1, 2]) await daemon.line(new RegExp(`"worker-${slot}","msg":"called /last`))
  for (const pid of before.values()) mayOpenNoMore(pid)
  // One for each worker, closed with the same answers to pings.
  for (const lost of await Promise.all([call(port), call(port)])) expect(lost).toMatch(/^curl:/)
  const waiting = call(port)
  await sleep(500)
  writeFileSync(join(folder, 'last'), '')
  for (const answer of await Promise.all([waiting, ...underWay]))
    expect(JSON.parse(answer)).toMatchObject({ slot: expect.any(Number) })
  await eventually(async () =>
    [...(await workersAt(port)).values()].every((pid) => ![...before.values()].includes(pid)),
  )
})

it('as many connections as a process may open files do not make the daemon deaf', async () => {
  const daemon = givenDaemon({ http: { workers: 1 }, mostFiles: 160 })
  const port = await listening(daemon)
  await daemon.line(/"warning":"connections".*LimitNOFILE=.*http.maxConnections/)
  const { pid } = JSON.parse(await call(port))
  // All of them wait in the primary, which would come to its own limit.
  process.kill(pid, 'SIGSTOP')
  const idle = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  await Promise.all(idle.map((socket) => once(socket, 'connect')))
  const from = ['--interface', '127.0.0.2', '--retry', '9', '--retry-all-errors']
  const other = run('curl', ['-s', ...from, '--cacert', pki.ca, `https://localhost:${port}/who`])
  let isOver = false
  void other.then(() => (isOver = true))
  await eventually(() => isOver || hasAcceptedFrom('127.0.0.2', port))
  // Where that took long, the primary has replaced the worker, and curl tries again.
  signalIfThere(pid, 'SIGCONT')
  expect(JSON.parse(await other)).toMatchObject({ slot: 1 })
  for (const socket of idle) socket.destroy()
})

/** Whether a process has accepted a connection from this address: no process owns one before (proc_net_tcp(5)). */
function hasAcceptedFrom(address: string, port: number): boolean {
  const bytes = address.split('.').toReversed().map(Number)
  const from = `${Buffer.from(bytes).toString('hex').toUpperCase()}:`
  const at = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  return rows.some(
    ([, local, remote, , , , , , , inode]) => local?.endsWith(at) && remote?.startsWith(from) && inode !== '0',
  )
}

it('a daemon that stood still as a whole goes on with its workers', async () => {
  const daemon = givenDaemon()
  const before = await workersAt(await listening(daemon))
  const all = [daemon.process.pid ?? 0, ...before.values()]
  for (const pid of all) process.kill(pid, 'SIGSTOP')
  // Longer than a worker may be suspended.
  await sleep(5_000)
  for (const pid of all) process.kill(pid, 'SIGCONT')
  await sleep(3_000)
  expect(await workersAt(await listening(daemon))).toEqual(before)
})

it('SIGTERM lets a call under way finish while new ones are refused', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const slow = call(port, '/slow')
  await daemon.line(/called .slow/)
  daemon.process.kill('SIGTERM')
  await expect.poll(() => call(port)).toMatch(/^curl: \(7\)/)
  writeFileSync(join(folder, 'slow'), '')
  expect(await slow).toContain('"slot"')
  expect(await daemon.exit).toBe(0)
})

it('a second SIGTERM ends the daemon at once', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const lost = call(port, '/never')
  await daemon.line(/called .never/)
  daemon.process.kill('SIGTERM')
  await daemon.line(/stopping/)
  daemon.process.kill('SIGTERM')
  expect(await daemon.exit).toBe(1)
  expect(daemon.errors()).toContain('a second SIGTERM')
  expect(await lost).toMatch(/^curl:/)
})

it('SIGHUP has every worker present the new certificate, and keep it when a key cannot be used', async () => {
  const daemon = givenDaemon()
  const port = await listening(daemon)
  const subject = async (): Promise<string> =>
    (await run('openssl', ['s_client', '-connect', `127.0.0.1:${port}`])).match(/subject=.*/)?.[0] ?? ''
  expect(await subject()).toMatch(/CN ?= ?localhost/)

  issueCertificate(pki, 'renewed')
  daemon.process.kill('SIGHUP')
  for (const worker of [1, 2]) await daemon.line(new RegExp(`worker-${worker}.*certificate read again`))
  expect((await subject()) + (await subject())).toMatch(/renewed[^]*renewed/)

  chmodSync(pki.key, 0o644)
  daemon.process.kill('SIGHUP')
  for (const worker of [1, 2]) await daemon.line(new RegExp(`worker-${worker}.*chmod 0600.*the old one stays`))
  chmodSync(pki.key, 0o600)
  expect((await subject()) + (await subject())).toMatch(/renewed[^]*renewed/)
})

it('a worker that cannot start ends the daemon, with a message and an exit code of its own', async () => {
  writeFileSync(join(folder, 'broken'), '')
  const daemon = givenDaemon()
  expect(await daemon.exit).toBe(4)
  expect(daemon.errors()).toBe('strongroomd: mend store.sqlite\n')
})

it('a key that others may read ends the daemon with exit code 2', async () => {
  chmodSync(pki.key, 0o640)
  const daemon = givenDaemon()
  const code = await daemon.exit
  chmodSync(pki.key, 0o600)
  expect(code).toBe(2)
  expect(daemon.errors()).toContain(`chmod 0600 ${pki.key}`)
})

it.each([
  ['is missing', () => rmSync(pki.certificate), 'does not exist: make it, or correct tls.certificate'],
  ['is a folder', () => (rmSync(pki.certificate), mkdirSync(pki.certificate)), 'is a folder, not a file'],
  ['holds a key', () => writeFileSync(pki.certificate, readFileSync(pki.key)), 'holds no certificate in PEM form'],
])('a certificate file that %s ends the daemon with exit code 2', async (_what, spoil, sentence) => {
  const before = readFileSync(pki.certificate)
  spoil()
  const [daemon, check] = [givenDaemon(), givenDaemon({ args: ['--check'] })]
  const codes = [await daemon.exit, await check.exit]
  rmSync(pki.certificate, { recursive: true, force: true })
  writeFileSync(pki.certificate, before)
  for (const { errors } of [daemon, check]) expect(errors()).toContain(`strongroomd: ${pki.certificate} ${sentence}`)
  expect(codes).toEqual([2, 2])
})

it('--check refuses a file of CAs without certificates, and no list or turned-off file that is missing', async () => {
  const check = (smartcard: object) =>
    givenDaemon({ sections: { smartcard: { port: 0, ...smartcard } }, args: ['--check'] })
  // Each is over before the next one writes the configuration.
  const refused = check({ clientCa: pki.key })
  expect(await refused.exit).toBe(2)
  expect(refused.errors()).toContain(`${pki.key} holds no certificate in PEM form`)
  expect(await check({ clientCa: pki.ca, crls: [join(folder, 'none.crl')] }).exit).toBe(0)
  expect(await check({ enabled: false, clientCa: join(folder, 'none.pem') }).exit).toBe(0)
})

it('a port in use ends the daemon with exit code 5', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = z.object({ port: z.number() }).parse(other.address())
  const daemon = givenDaemon({ http: { port } })
  expect(await daemon.exit).toBe(5)
  expect(daemon.errors()).toContain('http.port is in use')
  other.close()
})

it.each([
  ['--check with a good configuration', {}, ['--check'], 0, 'is in order'],
  ['a misspelt option', { prot: 1 }, [], 2, 'did you mean http.port?'],
  ['an unknown argument', {}, ['--chekc'], 2, 'Did you mean --check?'],
  ['--help', {}, ['--help'], 0, ''],
])('%s', async (_name, http, args, code, message) => {
  const daemon = givenDaemon({ http, args })
  expect(await daemon.exit).toBe(code)
  expect(daemon.errors()).toContain(message)
})

it('tells systemd when it is ready, reloads, lives and stops', async () => {
  const told = join(folder, 'told')
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${told}\n`, { mode: 0o700 })
  const environment = { PATH: `${folder}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/none', WATCHDOG_USEC: '400000' }
  const daemon = givenDaemon({ environment })
  const heard = (): string => (existsSync(told) ? readFileSync(told, 'utf8') : '')
  await expect.poll(heard).toMatch(/^READY=1 STATUS=listening on port \d+ with 2 workers\nWATCHDOG=1\n/)
  daemon.process.kill('SIGHUP')
  await expect.poll(heard).toMatch(/\nRELOADING=1\nREADY=1\n/)
  daemon.process.kill('SIGTERM')
  await daemon.exit
  expect(heard()).toMatch(/\nSTOPPING=1\n/)
})
