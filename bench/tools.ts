import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { dist } from './daemon.ts'

/** Programs that benchmarks start besides the daemon, with their Debian packages. */
const packages = {
  cc: 'gcc',
  curl: 'curl',
  openssl: 'openssl',
  ps: 'procps',
  setpriv: 'util-linux',
  'softhsm2-util': 'softhsm2',
  ykgenerate: 'libyubikey-dev',
} as const

export type Tool = keyof typeof packages

/** Every benchmark starts a daemon with a SoftHSM2 token, and logs in with the OTP of a hardware token. */
const always: readonly Tool[] = ['cc', 'openssl', 'ps', 'setpriv', 'softhsm2-util', 'ykgenerate']

/** Ends the program with a sentence that names the missing programs. */
export function needTools(more: readonly Tool[] = []): void {
  const missing = [...always, ...more].filter((tool) => !isInstalled(tool))
  const wanted = missing.map((tool) => packages[tool])
  if (missing.length > 0)
    fail(`This benchmark needs ${missing.join(', ')}: apt-get install ${[...new Set(wanted)].join(' ')}`)
  if (!existsSync(join(dist, 'bin/strongroomd.js'))) fail('This benchmark needs the compiled daemon: npm run build')
}

function isInstalled(tool: Tool): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
