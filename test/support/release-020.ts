import type { ChildProcess } from 'node:child_process'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { freePort, startDaemon } from './appliance.ts'
import { TestClient } from './client.ts'
import { totpCode } from './hardware-token.ts'
import { commonPki } from './pki.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'
import { loadOnPostgres } from './release-020-postgres.ts'

// An appliance in the state that release 0.2.0 left: that release made the token, the database and the trail in the
// archive, over the wire. Two vaults have the same content. The data key of one is an object in the token, that of the
// other is wrapped.

interface Person {
  readonly id: number
  readonly username: string
  readonly passphrase: string
  readonly totpSecret: string
}

/**
 * Content of a vault in the archive. Plaintexts are the names, or `first` and `second` where there are two versions.
 */
export interface VaultOfBefore {
  readonly id: string
  /** Two versions. Exportable in plain, with backups. */
  readonly ledger: readonly [string, string]
  readonly strict: string
  /** Backups of `ledger` and `strict`. `restored` was made from the latter. */
  readonly backups: { readonly ledger: string; readonly strict: string }
  /** Key as an object in the token. */
  readonly kept: string
  /** The first version is disabled. */
  readonly retired: readonly [string, string]
  /** The first version is trimmed. */
  readonly trimmed: readonly [string, string]
  /** Deleted, but can be restored. */
  readonly gone: string
  /** Made by `signer` and `mac` over `a message`. */
  readonly signature: string
  readonly mac: string
  /** Ids of a Server and of a file. */
  readonly object: string
  readonly file: string
}

interface Contents {
  readonly applicationKey: string
  readonly token: string
  readonly owner: Person
  /** Has Read in both vaults. */
  readonly reader: Person
  readonly inToken: VaultOfBefore
  readonly wrapped: VaultOfBefore
}

export interface ApplianceOfBefore extends Contents {
  readonly directory: string
  readonly configFile: string
  readonly module: string
  readonly softhsmConf: string
  readonly pinFile: string
  readonly sockets: { readonly host: string; readonly keeper: string; readonly operator: string }
  /** Starts the present daemon. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Logs this person in, which is possible once in half a minute. */
  login(person: Person): Promise<TestClient>
  /** On SQLite only. */
  database<T>(work: (connection: Database.Database) => T): T
  /** The server of its database, where that is PostgreSQL. */
  readonly postgres: TestPostgres | undefined
}

const archive = resolve(import.meta.dirname, '../vectors/release-0.2.0.tar.gz')
const module = '/usr/lib/softhsm/libsofthsm2.so'

/** Unpacks the archive for a test or a test file. On PostgreSQL the tables of that release contain the same rows. */
export async function applianceOfRelease020(
  atEnd: (cleanup: () => Promise<void>) => void = onTestFinished,
  dialect: 'sqlite' | 'postgres' = 'sqlite',
): Promise<ApplianceOfBefore> {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-020-'))
  execFileSync('tar', ['-xzf', archive, '-C', directory])
  const contents = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8')) as Contents
  const at = (...path: readonly string[]) => join(directory, ...path)
  const [softhsmConf, pinFile, configFile] = [at('softhsm2.conf'), at('token/pin'), at('strongroom.json')]
  writeFileSync(
    softhsmConf,
    `directories.tokendir = ${at('token/tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`,
  )
  const sockets = { host: at('host.sock'), keeper: at('keeper.sock'), operator: at('operator.sock') }
  const port = await freePort()
  const pki = commonPki()
  const sqlite = at('data/strongroom.sqlite')
  const postgres = dialect === 'postgres' ? startPostgres() : undefined
  if (postgres !== undefined) await loadOnPostgres(sqlite, postgres.url)
  const config = {
    http: { host: '127.0.0.1', port, workers: 1 },
    tls: { certificate: pki.certificate, key: pki.key },
    hsm: {
      module,
      token: contents.token,
      pinFile,
      softhsmConf,
      sockets: [sockets.host],
      rsaKeysAhead: 0,
      keeper: { socket: sockets.keeper, operatorSocket: sockets.operator, state: at('keeper.sqlite') },
    },
    store: postgres === undefined ? { sqlite } : { postgresUrlFile: postgres.urlFile },
    audit: { directory: at('data/audit') },
    login: { argon2: { memoryKiB: 8192, passes: 1 } },
  }
  writeFileSync(configFile, JSON.stringify(config))
  let daemon: ChildProcess | undefined
  const clients: TestClient[] = []
  const appliance: ApplianceOfBefore = {
    ...contents,
    directory,
    configFile,
    module,
    softhsmConf,
    pinFile,
    sockets,
    postgres,
    async start() {
      daemon = await startDaemon(configFile, [])
    },
    async stop() {
      const running = daemon
      daemon = undefined
      if (running === undefined) return
      const ended = new Promise((done) => running.once('exit', done))
      running.kill()
      await ended
    },
    async login({ username, passphrase, totpSecret }) {
      const client = new TestClient(`https://127.0.0.1:${port}/api/1.0`, readFileSync(pki.ca, 'utf8'))
      clients.push(client)
      const otp = totpCode(totpSecret)
      const form = { username, passphrase, apikey: contents.applicationKey, otp, logintype: 'totp' }
      client.token = (await client.must('POST', '/auth', form)).CALLINFO.token
      return client
    },
    database(work) {
      const connection = new Database(sqlite)
      connection.pragma('foreign_keys = OFF')
      try {
        return work(connection)
      } finally {
        connection.close()
      }
    },
  }
  atEnd(async () => {
    for (const client of clients) client.close()
    await appliance.stop()
    postgres?.cleanup()
    rmSync(directory, { recursive: true, force: true })
  })
  return appliance
}
