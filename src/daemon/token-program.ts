import { Worker } from 'node:worker_threads'
import { errorMessageOf } from '../fault.ts'
import { defaultConfigFile } from '../config/default-file.ts'
import { beforeFirstTaking } from '../folder-owner.ts'
import type { TokenProcess } from '../hsm/server/token-process.ts'
import { versionLine } from '../release.ts'
import { excludeMemory } from './core-dumps.ts'
import { ignoreSignals } from './ignored-signals.ts'

/** As the program was started, before it could have been adopted by another. */
const parentPid = process.ppid

/** Options of all programs that hold the token, for `parseArgs`. */
export const tokenProgramOptions = {
  config: { type: 'string', default: defaultConfigFile },
  systemd: { type: 'boolean', default: false },
  parent: { type: 'boolean', default: false },
  'socket-group': { type: 'string' },
} as const

/** The option `--socket-group`: a number. */
export const groupOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/** The texts of the program about itself. */
interface TokenProgram {
  readonly name: string
  readonly usage: string
}

export interface StartedProgram {
  readonly holder: TokenProcess
  /** Whether it ends with its parent process (by the IPC channel). */
  readonly parent: boolean
}

/** Runs a program that holds the token until a signal ends it, its parent process does, or it fails. */
export function runTokenProgram({ name, usage }: TokenProgram, start: () => StartedProgram): void {
  const asked = process.argv.slice(2)
  if (asked.includes('--help')) return void process.stdout.write(usage)
  if (asked.includes('--version')) return void process.stdout.write(`${versionLine(name)}\n`)
  // The parent was killed while this program was loaded, before anything listened for that.
  if (asked.includes('--parent') && !process.connected) return
  ignoreSignals()
  if (asked.includes('--parent')) beforeFirstTaking(endWithParent)
  let started: StartedProgram | undefined
  run(() => (started = start())).catch((error: unknown) => {
    process.stderr.write(`${errorMessageOf(error)}\n`)
    process.exitCode = 1
    if (process.connected) process.disconnect()
    if (started === undefined && asked.includes('--systemd')) setTimeout(() => undefined, failurePauseMs)
  })
}

/**
 * How long a program that cannot begin, as with a wrong configuration, lasts under systemd, which starts it again after a
 * second, for ever.
 */
const failurePauseMs = 10_000

/**
 * In place of the parent's death signal, which the kernel forgets where root takes the rights of a folder's owner (prctl(2),
 * PR_SET_PDEATHSIG), and which Node.js cannot set. Another thread looks, because this one may hang in the module.
 */
function endWithParent(): void {
  const look = `setInterval(() => process.ppid === ${parentPid} || process.kill(process.pid, 'SIGKILL'), 500)`
  // Where the system has no thread to give, the end of the channel tells of the parent's.
  new Worker(look, { eval: true, execArgv: [] }).on('error', () => undefined).unref()
}

async function run(start: () => StartedProgram): Promise<void> {
  // Its parent process sets the limit of core dumps.
  excludeMemory((error) => process.stderr.write(`core dumps may hold memory: ${String(error)}\n`))
  const { holder, parent } = start()
  const stop = () => {
    holder.close()
    process.removeAllListeners('disconnect')
    if (process.connected) process.disconnect()
  }
  process.once('SIGTERM', stop)
  // A terminal sends it to the whole group, and calls under way need this process until the parent ends it.
  process.on('SIGINT', parent ? () => undefined : stop)
  if (parent) process.once('disconnect', stop)
  try {
    await holder.failed
  } catch (error) {
    stop()
    throw error
  }
}
