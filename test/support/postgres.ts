import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandsBelow, signalIfThere } from './processes.ts'
import { isTestRun } from './temporary.ts'

/** Where a server also listens, with TLS. */
export interface TlsListener {
  readonly port: number
  /** PEM files; the server reads copies of its own. */
  readonly certificate: string
  readonly key: string
}

const packages = '/usr/lib/postgresql'

/** Whether Debian's PostgreSQL is installed. Tests that need it are skipped by name where it is not. */
export const hasPostgres = existsSync(packages)

const isRoot = process.getuid?.() === 0

export interface TestPostgres {
  /** A file with the URL of an empty database. */
  readonly urlFile: string
  readonly url: string
  /** Of the process that started all others of the server. */
  pid(): number
  /** Sends a signal to each process of the server. */
  signal(signal: NodeJS.Signals): void
  /** Restarts the server: `fast` ends all connections, `immediate` is like a crash. */
  restart(mode: 'fast' | 'immediate'): void
  /** Gives the server a certificate with its key, in place of those that it listens with. */
  certify(files: Pick<TlsListener, 'certificate' | 'key'>): void
  cleanup(): void
}

/** Starts a separate PostgreSQL server, on a unix socket, from a copy of the files that the first one made. */
export function startPostgres(tls?: TlsListener): TestPostgres {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-postgres-'))
  if (isRoot) execFileSync('chown', ['postgres', directory])
  const data = join(directory, 'data')
  const template = join(tmpdir(), 'strongroom-postgres')
  if (isTestRun && existsSync(template)) execFileSync('cp', ['-a', template, data])
  else run(directory, 'initdb', '-D', data, '-U', 'strongroom', '--auth=trust', '--no-sync', '-E', 'UTF8')
  if (isTestRun && !existsSync(template)) keepTemplate(data, template)
  const control = (...args: string[]) =>
    run(directory, 'pg_ctl', '-D', data, '-w', '-l', join(directory, 'log'), ...args)
  const certify: TestPostgres['certify'] = ({ certificate, key }) => {
    for (const [file, name] of [
      [certificate, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      copyFileSync(file, join(data, name))
      chmodSync(join(data, name), 0o600)
      if (isRoot) execFileSync('chown', ['postgres', join(data, name)])
    }
  }
  if (tls) certify(tls)
  const listening = tls ? `-c listen_addresses=127.0.0.1 -p ${tls.port} -c ssl=on` : `-c listen_addresses=''`
  control('-o', `-k ${directory} ${listening}`, 'start')
  const port = tls?.port ?? 5432
  run(directory, 'createdb', '-h', directory, '-p', String(port), '-U', 'strongroom', 'strongroom')
  const url = `postgres://strongroom@localhost:${port}/strongroom?host=${encodeURIComponent(directory)}`
  const urlFile = join(directory, 'url')
  writeFileSync(urlFile, url, { mode: 0o600 })
  const pid = () => Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
  return {
    url,
    urlFile,
    pid,
    signal(signal) {
      const main = pid()
      for (const [pid] of [[main], ...commandsBelow(main)] as const) signalIfThere(pid, signal)
    },
    restart: (mode) => control('-m', mode, 'restart'),
    certify,
    cleanup() {
      run(directory, 'pg_ctl', '-D', data, '-m', 'immediate', 'stop')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Keeps a copy as the template. Another test process may do so at the same time; the last one is used. */
function keepTemplate(data: string, template: string): void {
  const copy = `${template}-${process.pid}`
  execFileSync('cp', ['-a', data, copy])
  try {
    renameSync(copy, template)
  } catch {
    rmSync(copy, { recursive: true })
  }
}

/** Runs a program of the PostgreSQL server, which refuses to run as root. */
function run(directory: string, program: string, ...args: string[]): void {
  const programs = join(packages, readdirSync(packages).toSorted().at(-1) ?? '', 'bin')
  const command = [join(programs, program), ...args]
  const [first = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command
  execFileSync(first, rest, { stdio: 'ignore', cwd: directory })
}
