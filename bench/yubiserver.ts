import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/support/appliance.ts'
import type { HardwareToken } from '../test/support/hardware-token.ts'

/** Debian's validator in C, with a temporary database. It speaks plain HTTP, one request per connection. */
export interface Yubiserver {
  readonly origin: string
  readonly pid: number
  readonly client: { readonly id: number; readonly key: string }
  close(): void
}

const emptyDatabase = '/etc/yubiserver/yubiserver.sqlite.init'

/** Whether the package yubiserver is installed. */
export const hasYubiserver = existsSync(emptyDatabase)

export async function startYubiserver(tokens: readonly HardwareToken[]): Promise<Yubiserver> {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-yubiserver-'))
  const database = join(directory, 'database')
  copyFileSync(emptyDatabase, database)
  const administer = (...args: string[]) =>
    execFileSync('yubiserver-admin', ['-b', database, ...args], { encoding: 'utf8' })
  for (const [at, { publicId, privateId, key }] of tokens.entries())
    administer('-y', '-a', `token${at}`, publicId, privateId, key)
  const key = /: (\S+)\n/.exec(administer('-p', '-a', 'bench', 'twenty characters...'))?.[1]
  if (key === undefined) throw new Error('yubiserver-admin gave no API key')
  if (process.getuid?.() === 0) {
    // Started as root, it changes to this user.
    chmodSync(directory, 0o755)
    execFileSync('chown', ['-R', 'yubiserver', directory])
  }
  const port = await freePort()
  execFileSync('yubiserver', ['-d', database, '-l', join(directory, 'log'), '-p', String(port)], { stdio: 'ignore' })
  const pid = processNaming(database)
  return {
    origin: `http://127.0.0.1:${port}`,
    pid,
    client: { id: 1, key },
    close() {
      process.kill(pid)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Finds the process by its command line, since it daemonizes itself. */
function processNaming(what: string): number {
  const pid = readdirSync('/proc').find(
    (name) => /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(what),
  )
  if (pid === undefined) throw new Error('yubiserver did not start')
  return Number(pid)
}
