import { operatorId } from '../../src/access/confirmation.ts'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capabilitiesOf, type Capability } from '../../src/access/capabilities.ts'
import { storeLocation } from '../../src/config/store-location.ts'
import { systemClock } from '../../src/clock.ts'
import { keyMakerSocketOf } from '../../src/config/key-maker-socket.ts'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { loadConfig } from '../../src/config/loader.ts'
import type { Config } from '../../src/config/schema.ts'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { createServices, type Services } from '../../src/daemon/services.ts'
import { openStore } from '../../src/store/open.ts'
import type { Commit, Store } from '../../src/store/store.ts'
import { tables } from '../../src/daemon/tables.ts'
import { TestClient } from './client.ts'
import { HardwareToken } from './hardware-token.ts'
import { commonPki } from './pki.ts'
import { signalIfThere } from './processes.ts'
import { diskFolder, isTestRun } from './temporary.ts'
import { makeToken, type TestToken } from './token.ts'

const daemonEntry = fileURLToPath(new URL('../../dist/bin/strongroomd.js', import.meta.url))
const passphraseOfAll = 'correct horse battery staple'

export interface TestUser {
  readonly id: number
  readonly username: string
  readonly passphrase: string
  readonly hardwareToken: HardwareToken
  /** Base32 seed of the user's TOTP device. */
  readonly totpSecret: string
}

/** Settings that replace the tests' defaults, by section. */
export type Overrides = { readonly [section in keyof Config]?: Readonly<Record<string, unknown>> }

interface Parts {
  readonly store: Store
  readonly hsm: Hsm
  readonly services: Services
}

export interface RunOptions {
  /** Keeps its files on the disk, for tests of durability. */
  readonly onDisk?: boolean
  /** Number of token hosts. Default: one for each worker. */
  readonly hosts?: number
  /** Called with the new token before the daemon starts. */
  readonly prepare?: (token: TestToken) => void
  /** Path of the compiled `strongroomd.js` to run. */
  readonly entry?: string
}

/** A running daemon, and the test's own access to its database and token. */
interface Running {
  readonly directory: string
  readonly token: TestToken
  readonly configFile: string
  readonly config: Config
  readonly ca: string
  readonly entry: string
  readonly parts: Parts
  readonly applicationKey: string
  readonly journal: string[]
  daemon: ChildProcess
}

/** What one test file sees of it. */
interface Seen {
  readonly running: Running
  readonly isShared: boolean
  /** Number of entries of the journal that are of earlier files. */
  readonly journalStart: number
  /** The same in bytes, of each file of the audit trail. */
  readonly trailStarts: ReadonlyMap<string, number>
}

const seenFromNow = (running: Running): Seen => ({
  running,
  isShared: true,
  journalStart: running.journal.length,
  trailStarts: new Map(trailFilesOf(running).map((path) => [path, statSync(path).size])),
})

/** The appliances that tests of this process share, by their settings. Each is started at its first use. */
const shared = new Map<string, Promise<Running>>()

/** Two workers and two token hosts, for tests of what must hold across processes. */
export const twoWorkers = { http: { workers: 2 } } as const satisfies Overrides

/**
 * The real, compiled daemon in its own processes: a SoftHSM2 token, token hosts, SQLite, TLS. Users are created by the
 * domain code. Everything else goes over the wire.
 */
export class TestAppliance {
  readonly #clients: TestClient[] = []
  #seen: Seen | undefined
  #users = 0

  private constructor(seen?: Seen) {
    this.#seen = seen
  }

  /** One that `become` fills in before its first use: see `for-tests.ts`. */
  static toCome(): TestAppliance {
    return new TestAppliance()
  }

  /**
   * The appliance that the test files of a process with these settings share. It has two workers and two token hosts,
   * and runs until the process ends. Journal and trail entries of earlier files are not shown. Earlier rows stay in the
   * database, except counted logins.
   */
  static async shared(overrides: Overrides = {}): Promise<TestAppliance> {
    const settings = { ...overrides, http: { ...twoWorkers.http, ...overrides.http } }
    const name = JSON.stringify(settings)
    const starting = shared.get(name) ?? run(settings)
    shared.set(name, starting)
    const running = await starting
    await running.parts.store.transaction((tx) => tx.query('DELETE FROM login_attempts'))
    return new TestAppliance(seenFromNow(running))
  }

  /**
   * An appliance that a test may stop and edit, and in which it may count. It has one worker and one token host unless
   * `http.workers` says otherwise.
   */
  static async own(overrides: Overrides = {}, options: RunOptions = {}): Promise<TestAppliance> {
    return new TestAppliance({
      running: await run(overrides, options),
      isShared: false,
      journalStart: 0,
      trailStarts: new Map(),
    })
  }

  become(started: TestAppliance): void {
    this.#seen = started.#seen
    this.#clients.push(...started.#clients)
  }

  get #state(): Seen {
    if (this.#seen === undefined) throw new Error('the appliance is started before the first test, and not used before')
    return this.#seen
  }
  get #running(): Running {
    return this.#state.running
  }

  get applicationKey(): string {
    return this.#running.applicationKey
  }
  get url(): string {
    return `https://127.0.0.1:${this.config.http.port}/api/1.0`
  }

  get directory(): string {
    return this.#running.directory
  }
  get token(): TestToken {
    return this.#running.token
  }
  get configFile(): string {
    return this.#running.configFile
  }
  get config(): Config {
    return this.#running.config
  }
  /** PEM of the CA of the server's certificate. */
  get ca(): string {
    return this.#running.ca
  }
  get services(): Services {
    return this.#running.parts.services
  }
  get store(): Store {
    return this.#running.parts.store
  }
  /** Changes the database behind the daemon's back. */
  sql(statement: string, parameters?: unknown[]): Promise<unknown> {
    return this.store.transaction((tx) => tx.query(statement, parameters))
  }
  get hsm(): Hsm {
    return this.#running.parts.hsm
  }
  get commit(): Commit {
    return commitTo(this.#running.parts.store)
  }
  /** The journal of the daemon. */
  get journal(): string {
    return this.#running.journal.slice(this.#state.journalStart).join('')
  }
  /** The text of each file of the audit trail. */
  get trail(): string[] {
    return trailFilesOf(this.#running).map((path) =>
      readFileSync(path)
        .subarray(this.#state.trailStarts.get(path) ?? 0)
        .toString(),
    )
  }
  get pid(): number {
    return this.#running.daemon.pid ?? 0
  }

  /** A client without a session, or with this token. */
  client(token?: string): TestClient {
    const client = new TestClient(this.url, this.ca, token)
    this.#clients.push(client)
    return client
  }

  async addUser(capabilities: readonly Capability[] = ['read', 'createVault', 'active']): Promise<TestUser> {
    const username = `user-${++this.#users}-${randomBytes(3).toString('hex')}`
    const { users, enrolments } = this.services
    const fields = {
      username,
      fullname: `User ${this.#users}`,
      email: `${username}@example.test`,
      passphrase: passphraseOfAll,
    }
    const user = await users.create({ ...fields, capabilities: capabilitiesOf(capabilities) }, operatorId, this.commit)
    const hardwareToken = new HardwareToken()
    await enrolments.enrolHardwareToken(user.id, hardwareToken.secrets(), operatorId, this.commit)
    const { secret } = await enrolments.enrolTotp(user, operatorId, this.commit)
    return { id: user.id, username, passphrase: passphraseOfAll, hardwareToken, totpSecret: secret }
  }

  /** The members of form B for a login by hardware token, with a new OTP. */
  credentials(user: TestUser): Record<string, string> {
    return {
      username: user.username,
      passphrase: user.passphrase,
      apikey: this.applicationKey,
      otp: user.hardwareToken.press(),
      logintype: 'hwkey_otp',
    }
  }

  /** A client that this user, or a new one, has logged in over the wire. */
  async login(user?: TestUser): Promise<TestClient> {
    const client = this.client()
    const { CALLINFO } = await client.must('POST', '/auth', this.credentials(user ?? (await this.addUser())))
    client.token = CALLINFO.token
    return client
  }

  /** Ends the daemon with this signal and waits until it is gone. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#state.isShared)
      throw new Error('other test files share this appliance: take one of its own (TestAppliance.own)')
    return endDaemon(this.#running.daemon, signal)
  }

  /** `environment`: variables for the new daemon, in addition to the tests' own. */
  async restart(signal: NodeJS.Signals = 'SIGTERM', environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop(signal)
    const { configFile, journal, entry } = this.#running
    this.#running.daemon = await startDaemon(configFile, journal, { entry, environment })
    // The test's own connection to the token is made again after a pause.
    const { hsm } = this.#running.parts
    for (let tries = 0; tries < 40 && (await hsm.status()).every(({ state }) => state === 'down'); tries++)
      await new Promise((resolve) => setTimeout(resolve, 100))
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    if (this.#seen === undefined || this.#seen.isShared) return
    const { parts, directory, token } = this.#running
    await parts.hsm.close()
    await parts.store.close()
    await this.stop()
    rmSync(directory, { recursive: true, force: true })
    token.cleanup()
  }
}

async function run(
  overrides: Overrides,
  { onDisk = false, hosts, prepare, entry = daemonEntry }: RunOptions = {},
): Promise<Running> {
  const folder = onDisk ? diskFolder() : tmpdir()
  const directory = mkdtempSync(join(folder, 'strongroom-'))
  const token = await makeToken(folder)
  prepare?.(token)
  const pki = commonPki()
  const configFile = join(directory, 'strongroom.json')
  writeFileSync(configFile, JSON.stringify(configuration(directory, token, pki, await freePort(), overrides, hosts)))
  const config = loadConfig(configFile)
  if (config.store.sqlite === undefined) await (await openStore(storeLocation(config), tables)).close()
  else await copyEmptyDatabase(config.store.sqlite)
  const journal: string[] = []
  const daemon = await startDaemon(configFile, journal, { entry })
  const parts = await openParts(config)
  const { key: applicationKey } = await parts.services.applicationKeys.create('tests', commitTo(parts.store))
  const ca = readFileSync(pki.ca, 'utf8')
  return { directory, token, configFile, config, ca, entry, journal, daemon, parts, applicationKey }
}

/** Creates a database with all tables at `path`, as `strongroom init` does. It is made once in a run and copied. */
export async function copyEmptyDatabase(path: string): Promise<void> {
  if (!isTestRun) return (await openStore({ sqlite: path }, tables)).close()
  const template = join(tmpdir(), 'empty.sqlite')
  if (!existsSync(template)) {
    const fresh = mkdtempSync(join(tmpdir(), 'empty-'))
    const sqlite = join(fresh, 'empty.sqlite')
    await (await openStore({ sqlite }, tables)).close()
    renameSync(sqlite, template)
    rmSync(fresh, { recursive: true })
  }
  copyFileSync(template, path)
}

/** Ends a daemon with this signal and waits until it is gone; with SIGKILL, all its processes. */
export async function endDaemon(daemon: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return daemon.exitCode
  const exited = new Promise<number | null>((resolve) => daemon.once('exit', (code) => resolve(code)))
  if (signal === 'SIGKILL') killTree(daemon.pid ?? 0)
  else daemon.kill(signal)
  return exited
}

function trailFilesOf({ config }: Running): string[] {
  const { directory } = config.audit
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(directory, name))
}

function commitTo(store: Store): Commit {
  return (work, options) => store.transaction(work, options)
}

function configuration(
  directory: string,
  token: TestToken,
  pki: { certificate: string; key: string },
  port: number,
  overrides: Overrides,
  hosts?: number,
) {
  const workers = Number(overrides.http?.['workers'] ?? 1)
  const own: Record<string, Record<string, unknown>> = {
    // All tests call from one address, and look for their records one by one.
    http: {
      host: '127.0.0.1',
      port,
      workers,
      unidentifiedCallsPerMinute: 1_000_000,
      unidentifiedRecordsPerMinute: 1_000_000,
    },
    tls: { certificate: pki.certificate, key: pki.key },
    hsm: {
      module: token.module,
      token: token.tokenUri,
      pinFile: token.pinFile,
      softhsmConf: token.softhsmConf,
      sockets: Array.from({ length: hosts ?? workers }, (_, index) => join(directory, `token-${index + 1}.sock`)),
      // Tests that need RSA keys wait for them, and all others are spared the work.
      rsaKeysAhead: 0,
      keeper: {
        socket: join(directory, 'keeper.sock'),
        operatorSocket: join(directory, 'operator.sock'),
        state: join(directory, 'keeper.sqlite'),
      },
    },
    store: { sqlite: join(directory, 'strongroom.sqlite') },
    audit: { directory: join(directory, 'audit'), sealIntervalMs: 500 },
    // Cheap hashes, since no test depends on their cost.
    login: { freeAttempts: 50, argon2: { memoryKiB: 8192, passes: 1 } },
    links: { enabled: true },
    // A busy port of the monitor must fail no test.
    monitor: { enabled: false },
    log: { level: 'info' },
  }
  for (const [section, settings] of Object.entries(overrides))
    own[section] = section === 'store' ? settings : { ...own[section], ...settings }
  return own
}

/** Calls of the domain code by tests leave no audit records, unlike those of the daemon. */
const unrecorded = { append: () => Promise.resolve() }

async function openParts(config: Config): Promise<Parts> {
  const store = await openStore(storeLocation(config), tables)
  const hsm = createHsmClient({
    sockets: config.hsm.sockets,
    keyMakerSocket: keyMakerSocketOf(config.hsm),
    keeper: keeperOf(config).operatorSocket,
    deadlineMs: config.hsm.deadlineMs,
    queue: config.hsm.queue,
  })
  return { store, hsm, services: createServices({ config, store, hsm, clock: systemClock, audit: unrecorded }) }
}

/** Starts the daemon and waits until all its workers listen. `as`: options of setpriv that name another user. */
export function startDaemon(
  configFile: string,
  journal: string[],
  {
    entry = daemonEntry,
    environment = {},
    as = [],
  }: {
    readonly entry?: string
    readonly environment?: Readonly<Record<string, string>>
    readonly as?: readonly string[]
  } = {},
): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    // The daemon ends with the test process, however that ends.
    const command = [...as, '--pdeathsig', 'TERM', process.execPath, entry, '--config', configFile]
    const daemon = spawn('setpriv', command, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    })
    const hear = (chunk: Buffer): void => {
      journal.push(chunk.toString())
      if (chunk.includes('"msg":"listening"')) resolve(daemon)
    }
    daemon.stdout.on('data', hear)
    daemon.stderr.on('data', hear)
    daemon.once('exit', (code) => reject(new Error(`the daemon ended with ${code}:\n${journal.join('')}`)))
  })
}

/** Sends SIGKILL to a process and all its descendants, as a power failure ends them. */
function killTree(root: number): void {
  const listed = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const processes = listed.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const kill = (victim: number): void => {
    signalIfThere(victim, 'SIGKILL')
    for (const [pid = 0, parent] of processes) if (parent === victim) kill(pid)
  }
  kill(root)
}

const portsOfProcess = 500
const ranges = 40
let portsGiven = 0
let firstPort: Promise<number> | undefined

/**
 * First port of a range that is below the ports that Linux chooses for outgoing connections. This process listens there
 * until it ends, so that no other one, of this run or another, has the range: a free port of it is still free when its
 * program listens.
 */
async function claimRange(): Promise<number> {
  for (let at = 0; at < ranges; at++) {
    const port = 12_000 + ((process.pid + at) % ranges) * portsOfProcess
    const holder = await listening(port)
    if (holder?.unref()) return port
  }
  throw new Error('other processes have all ranges of ports')
}

/** A free port, which is not returned again soon. */
export async function freePort(): Promise<number> {
  const first = await (firstPort ??= claimRange())
  for (;;) {
    const port = first + 1 + (portsGiven++ % (portsOfProcess - 1))
    const probe = await listening(port)
    if (probe === undefined) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

/** Undefined where something listens there already. */
function listening(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
