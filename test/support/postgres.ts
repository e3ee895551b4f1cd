import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const packages = '/usr/lib/postgresql'

/** Whether Debian's PostgreSQL is installed: the tests that need it say so by name where it is not. */
export const hasPostgres = existsSync(packages)

export interface TestPostgres {
  /** A file with the URL of an empty database. */
  readonly urlFile: string
  readonly url: string
  cleanup(): void
}

/** A PostgreSQL server of the test's own, on a unix socket only. */
export function startPostgres(): TestPostgres {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-postgres-'))
  const programs = join(packages, readdirSync(packages).toSorted().at(-1) ?? '', 'bin')
  const data = join(directory, 'data')
  // The server refuses to run as root.
  const asServer = (program: string, ...args: string[]) => {
    const root = process.getuid?.() === 0
    execFileSync(
      root ? 'runuser' : join(programs, program),
      root ? ['-u', 'postgres', '--', join(programs, program), ...args] : args,
      { stdio: 'ignore', cwd: directory },
    )
  }
  if (process.getuid?.() === 0) execFileSync('chown', ['postgres', directory])
  asServer('initdb', '-D', data, '-U', 'strongroom', '--auth=trust', '--no-sync', '-E', 'UTF8')
  asServer(
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
  asServer('createdb', '-h', directory, '-U', 'strongroom', 'strongroom')
  const url = `postgres://strongroom@localhost/strongroom?host=${encodeURIComponent(directory)}`
  const urlFile = join(directory, 'url')
  writeFileSync(urlFile, url, { mode: 0o600 })
  return {
    url,
    urlFile,
    cleanup() {
      asServer('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
