import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandsBelow } from './processes.ts'
import { isTestRun } from './temporary.ts'

const packages = '/usr/lib/postgresql'

/** Whether Debian's PostgreSQL is installed. Tests that need it are skipped by name where it is not. */
export const hasPostgres = existsSync(packages)

const isRoot = process.getuid?.() === 0

export interface TestPostgres {
  /** A file with the URL of an empty database. */
  readonly urlFile: string
  readonly url: string
  /** Sends a signal to each process of the server. */
  signal(signal: NodeJS.Signals): void
  cleanup(): void
}

/** Starts a separate PostgreSQL server, on a unix socket only, from a copy of the files that the first one made. */
export function startPostgres(): TestPostgres {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-postgres-'))
  if (isRoot) execFileSync('chown', ['postgres', directory])
  const data = join(directory, 'data')
  const template = join(tmpdir(), 'strongroom-postgres')
  if (isTestRun && existsSync(template)) execFileSync('cp', ['-a', template, data])
  else run(directory, 'initdb', '-D', data, '-U', 'strongroom', '--auth=trust', '--no-sync', '-E', 'UTF8')
  if (isTestRun && !existsSync(template)) keepTemplate(data, template)
  run(
    directory,
    'pg_ctl',
    '-D',
    data,
    '-w',
    '-l',
    join(directory, 'log'),
    '-o',
    `-k ${directory} -c listen_addresses=''`,
    'start',
  )
  run(directory, 'createdb', '-h', directory, '-U', 'strongroom', 'strongroom')
  const url = `postgres://strongroom@localhost/strongroom?host=${encodeURIComponent(directory)}`
  const urlFile = join(directory, 'url')
  writeFileSync(urlFile, url, { mode: 0o600 })
  return {
    url,
    urlFile,
    signal(signal) {
      const main = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
      for (const [pid] of [[main], ...commandsBelow(main)] as const) process.kill(pid, signal)
    },
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
