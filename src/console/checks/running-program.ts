import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { utcText } from '../../clock.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'program'
const { ok, problem } = findingsOf(topic)

/** The programs of an appliance. Workers are started by the daemon and have its program. */
const entries = ['strongroomd.js', 'strongroom-keeper.js', 'strongroom-tokend.js']
/** The kernel gives a process's start in ticks since the boot (proc_pid_stat(5)), and the boot in whole seconds. */
const ticksPerSecond = 100
const uncertaintyMs = 2_000

/**
 * Checks that the running processes of this appliance have the installed program. A process keeps the program that it
 * was started with, and programs of two releases are incompatible. Compares start times with the times of files, so
 * that it works for releases that do not report their version.
 */
export const programCheck: Check = {
  topic,
  run: (_config, { build, config }) => {
    const running = runningEntries(resolve(config))
    if (running.length === 0) return [ok('no process of this appliance can be seen')]
    const findings = running.flatMap((one) => findingOf(one, realpathSync(build)))
    return findings.length > 0
      ? findings
      : [ok(`the running program is the one that is installed in ${dirname(build)}`)]
  },
}

const remedy =
  'Restart all of it: run scripts/setup of the installed release again, or see "Upgrade" in docs/operations.md.'

function findingOf({ pid, entry, startedAt }: RunningEntry, build: string): Finding[] {
  const name = basename(entry, '.js')
  const installed = join(build, 'bin', basename(entry))
  if (entry !== installed) return [problem(`${name} (process ${pid}) runs ${entry}, not ${installed}`, remedy)]
  // The change time is that of the installation; the modification time is that of the build.
  const { ctimeMs } = statSync(installed)
  if (startedAt + uncertaintyMs >= ctimeMs) return []
  const [began, replaced] = [startedAt, ctimeMs].map((ms) => utcText(ms).slice(0, 19))
  return [
    problem(`${name} (process ${pid}) runs since ${began}, but its program was replaced at ${replaced} (UTC)`, remedy),
  ]
}

interface RunningEntry {
  readonly pid: number
  /** The JavaScript file that the process was started with. */
  readonly entry: string
  readonly startedAt: number
}

function runningEntries(config: string): RunningEntry[] {
  const [, boot = '0'] = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1')) ?? []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return runningEntry(Number(pid), config, Number(boot) * 1000)
      } catch {
        // The process has ended, or belongs to another user.
        return []
      }
    })
}

function runningEntry(pid: number, config: string, bootedAt: number): RunningEntry[] {
  const [, ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  // Options of Node.js, one word each, precede the file.
  const [entry = '', ...args] = words.slice(words.findIndex((word) => !word.startsWith('-')))
  const file = args[args.indexOf('--config') + 1]
  if (!entries.includes(basename(entry)) || file === undefined || basename(file) !== basename(config)) return []
  const from = (path: string) => (path.startsWith('/') ? path : resolve(readlinkSync(`/proc/${pid}/cwd`), path))
  if (from(file) !== config) return []
  // The 22nd field is the 20th after the name, which may contain spaces and brackets.
  const ticks = Number(
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')[19],
  )
  return [{ pid, entry: realOf(from(entry)), startedAt: bootedAt + (ticks * 1000) / ticksPerSecond }]
}

/** Resolves links; a folder that was replaced may no longer exist. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
