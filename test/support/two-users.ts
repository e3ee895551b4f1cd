import { execFileSync, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { copyEmptyDatabase, freePort, startDaemon } from './appliance.ts'
import { commonPki } from './pki.ts'
import { makeToken, type TestToken } from './token.ts'

/** Two unrelated users that exist in every Debian. */
export const workersUser = 'www-data'
export const insideUser = 'backup'

const product = resolve(import.meta.dirname, '../../dist/bin/strongroomd.js')

/** Only root can start processes of other users, who must be able to read the program. */
export const hasTwoUsers =
  process.getuid?.() === 0 &&
  [workersUser, insideUser].every(
    (user) => spawnSync('setpriv', ['--reuid', user, '--clear-groups', 'test', '-r', product]).status === 0,
  )

export const numberOf = (user: string, flag = '-u') => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))

export interface DirectDaemon {
  readonly token: TestToken
  readonly directory: string
  readonly configFile: string
  readonly sockets: { readonly host: string; readonly keeper: string; readonly operator: string }
  readonly url: string
  readonly ca: string
  readonly journal: string[]
  readonly process: ChildProcess
  /** Process id of the first worker. */
  readonly workerPid: number
  /** Id of the process with this text in its command line. */
  pidOf(part: string): number
  stop(): Promise<number | null>
}

/**
 * Starts the daemon without systemd: by root for two users or, unless `separate`, by the user of the workers for that
 * user only.
 */
export async function startDirectly({
  separate,
  smartcardPort,
}: {
  readonly separate: boolean
  readonly smartcardPort?: number
}): Promise<DirectDaemon> {
  const directory = mkdtempSync(join(tmpdir(), 'users-'))
  chmodSync(directory, 0o755)
  const token = await makeToken()
  const [outside, run] = [join(directory, 'outside'), join(directory, 'run')]
  const pki = commonPki()
  const [certificate, key] = [join(directory, 'server.pem'), join(outside, 'server.key')]
  mkdirSync(outside, { mode: 0o700 })
  cpSync(pki.certificate, certificate)
  cpSync(pki.key, key)
  const sqlite = join(outside, 'strongroom.db')
  await copyEmptyDatabase(sqlite)
  // The launcher makes the folder of the sockets itself.
  if (!separate) mkdirSync(run, { mode: 0o700 })
  execFileSync('chown', ['-R', `${workersUser}:`, outside, ...(separate ? [] : [run])])
  execFileSync('chown', ['-R', `${separate ? insideUser : workersUser}:`, token.directory])

  const port = await freePort()
  const configFile = join(directory, 'strongroom.json')
  const configuration = {
    http: { host: '127.0.0.1', port, workers: 1 },
    tls: { certificate, key },
    hsm: {
      module: token.module,
      token: token.tokenUri,
      pinFile: token.pinFile,
      softhsmConf: token.softhsmConf,
      tokenDirectory: token.tokenDirectory,
      sockets: [join(run, '1.sock')],
      rsaKeysAhead: 0,
    },
    ...(separate ? { processes: { workers: workersUser, inside: insideUser } } : {}),
    ...(smartcardPort === undefined ? {} : { smartcard: { port: smartcardPort } }),
    store: { sqlite },
    audit: { directory: join(outside, 'audit') },
    login: { argon2: { memoryKiB: 8192, passes: 1 } },
  }
  writeFileSync(configFile, JSON.stringify(configuration), { mode: 0o644 })
  const journal: string[] = []
  const as = ['--reuid', workersUser, '--regid', String(numberOf(workersUser, '-g')), '--clear-groups']
  const daemon = await startDaemon(configFile, journal, { entry: product, as: separate ? [] : as })
  return {
    token,
    directory,
    configFile,
    sockets: { host: join(run, '1.sock'), keeper: join(run, 'keeper.sock'), operator: join(run, 'operator.sock') },
    url: `https://127.0.0.1:${port}`,
    ca: pki.ca,
    journal,
    process: daemon,
    workerPid: Number(/"worker":(\d+)/.exec(journal.join(''))?.[1]),
    pidOf: (part) => pidOf(part, configFile),
    async stop() {
      if (daemon.exitCode === null && daemon.signalCode === null) {
        const gone = once(daemon, 'exit')
        daemon.kill('SIGTERM')
        await gone
      }
      rmSync(directory, { recursive: true, force: true })
      token.cleanup()
      return daemon.exitCode
    },
  }
}

function pidOf(part: string, configFile: string): number {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  const line = lines.find((text) => text.includes(part) && text.includes(configFile))
  return Number(line?.trim().split(' ')[0])
}
