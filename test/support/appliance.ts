import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { capabilitiesOf, type Capability } from '../../src/access/capabilities.ts'
import { storePlace } from '../../src/daemon/appliance.ts'
import { systemClock } from '../../src/clock.ts'
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
import { makePki } from './pki.ts'
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

/** Settings over the tests' own, section by section. */
export type Overrides = { readonly [section in keyof Config]?: Readonly<Record<string, unknown>> }

/**
 * The real daemon, compiled, in processes of its own: a SoftHSM2 token, token hosts, SQLite, TLS. Users are made
 * through the domain code, everything else goes over the wire.
 */
export class TestAppliance {
  readonly directory: string
  readonly token: TestToken
  readonly config: Config
  readonly configFile: string
  readonly applicationKey: string
  readonly url: string
  readonly ca: string
  readonly #parts: { store: Store; hsm: Hsm; services: Services }
  readonly #clients: TestClient[] = []
  readonly #entry: string
  #daemon: ChildProcess
  #journal: string[] = []
  #users = 0

  private constructor(given: {
    directory: string
    token: TestToken
    configFile: string
    url: string
    ca: string
    entry: string
    daemon: ChildProcess
    journal: string[]
    applicationKey: string
    config: Config
    parts: { store: Store; hsm: Hsm; services: Services }
  }) {
    this.directory = given.directory
    this.token = given.token
    this.configFile = given.configFile
    this.config = given.config
    this.url = given.url
    this.ca = given.ca
    this.applicationKey = given.applicationKey
    this.#parts = given.parts
    this.#entry = given.entry
    this.#daemon = given.daemon
    this.#journal = given.journal
  }

  /** `entry`: the compiled `strongroomd.js` to run, by default the one in `dist/`. */
  static async start(overrides: Overrides = {}, entry = daemonEntry): Promise<TestAppliance> {
    const directory = mkdtempSync(join(tmpdir(), 'strongroom-'))
    const token = await makeToken()
    const pki = makePki(join(tmpdir(), 'strongroom-test-pki'))
    const port = await freePort()
    const configFile = join(directory, 'strongroom.json')
    writeFileSync(configFile, JSON.stringify(configuration(directory, token, pki, port, overrides)))
    const config = loadConfig(configFile)
    const journal: string[] = []
    const daemon = await startDaemon(configFile, journal, entry)
    const parts = await openParts(config)
    const { key } = await parts.services.applicationKeys.create('tests', commitTo(parts.store))
    const ca = readFileSync(pki.ca, 'utf8')
    return new TestAppliance({
      directory,
      token,
      configFile,
      config,
      url: `https://127.0.0.1:${port}/api/1.0`,
      ca,
      entry,
      daemon,
      journal,
      applicationKey: key,
      parts,
    })
  }

  get services(): Services {
    return this.#parts.services
  }
  get store(): Store {
    return this.#parts.store
  }
  get hsm(): Hsm {
    return this.#parts.hsm
  }
  get commit(): Commit {
    return commitTo(this.#parts.store)
  }
  /** Everything the daemon has written to its journal. */
  get journal(): string {
    return this.#journal.join('')
  }
  get pid(): number {
    return this.#daemon.pid ?? 0
  }

  /** A client without a session. */
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
    const user = await users.create({ ...fields, capabilities: capabilitiesOf(capabilities) }, this.commit)
    const hardwareToken = new HardwareToken()
    await enrolments.enrolHardwareToken(user.id, hardwareToken.secrets(), this.commit)
    const { secret } = await enrolments.enrolTotp(user, this.commit)
    return { id: user.id, username, passphrase: passphraseOfAll, hardwareToken, totpSecret: secret }
  }

  /** The members of form B for a login by hardware token, with a fresh OTP. */
  credentials(user: TestUser): Record<string, string> {
    return {
      username: user.username,
      passphrase: user.passphrase,
      apikey: this.applicationKey,
      otp: user.hardwareToken.press(),
      logintype: 'hwkey_otp',
    }
  }

  /** A client logged in over the wire as this user, or as a new one. */
  async login(user?: TestUser): Promise<TestClient> {
    const client = this.client()
    const { CALLINFO } = await client.must('POST', '/auth', this.credentials(user ?? (await this.addUser())))
    client.token = CALLINFO.token
    return client
  }

  /** Ends the daemon with this signal and waits until it is gone. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const daemon = this.#daemon
    if (daemon.exitCode !== null || daemon.signalCode !== null) return daemon.exitCode
    const exited = new Promise<number | null>((resolve) => daemon.once('exit', (code) => resolve(code)))
    if (signal === 'SIGKILL') killTree(this.pid)
    else daemon.kill(signal)
    return exited
  }

  /** `environment`: variables for the daemon that starts, beside the tests' own. */
  async restart(signal: NodeJS.Signals = 'SIGTERM', environment: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.stop(signal)
    this.#daemon = await startDaemon(this.configFile, this.#journal, this.#entry, environment)
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close()
    await this.#parts.hsm.close()
    await this.#parts.store.close()
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
    this.token.cleanup()
  }
}

function commitTo(store: Store): Commit {
  return (work) => store.transaction(work)
}

function configuration(
  directory: string,
  token: TestToken,
  pki: { certificate: string; key: string },
  port: number,
  overrides: Overrides,
) {
  const own: Record<string, Record<string, unknown>> = {
    http: { host: '127.0.0.1', port, workers: 2 },
    tls: { certificate: pki.certificate, key: pki.key },
    hsm: {
      module: token.module,
      token: token.tokenUri,
      pinFile: token.pinFile,
      softhsmConf: token.softhsmConf,
      sockets: [join(directory, 'token-1.sock'), join(directory, 'token-2.sock')],
    },
    store: { sqlite: join(directory, 'strongroom.sqlite') },
    audit: { directory: join(directory, 'audit'), sealIntervalMs: 500 },
    // Cheap hashes: what the tests look at is not their cost.
    login: { freeAttempts: 50, argon2: { memoryKiB: 8192, passes: 1 } },
    log: { level: 'info' },
  }
  for (const [section, settings] of Object.entries(overrides))
    own[section] = section === 'store' ? settings : { ...own[section], ...settings }
  return own
}

/** The tests' own use of the domain leaves no records; the daemon's does. */
const unrecorded = { append: () => Promise.resolve() }

async function openParts(config: Config) {
  const store = await openStore(storePlace(config), tables)
  const hsm = createHsmClient({
    sockets: config.hsm.sockets,
    deadlineMs: config.hsm.deadlineMs,
    queue: config.hsm.queue,
  })
  return { store, hsm, services: createServices({ config, store, hsm, clock: systemClock, audit: unrecorded }) }
}

/** Starts the daemon and waits until all its workers listen. */
export function startDaemon(
  configFile: string,
  journal: string[],
  entry = daemonEntry,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const daemon = spawn(process.execPath, [entry, '--config', configFile], {
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

/** SIGKILL for a process and all its descendants, as when the power goes. */
function killTree(pid: number): void {
  const children = execFileSync('sh', ['-c', `ps -o pid= --ppid ${pid} || true`], { encoding: 'utf8' })
    .split(/\s+/)
    .filter(Boolean)
  process.kill(pid, 'SIGKILL')
  for (const child of children) killTree(Number(child))
}

/** A port that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
