import { readdirSync, readFileSync } from 'node:fs'

/** The role of a process of the daemon. The key maker counts as a host. */
export type Role = 'primary' | 'worker' | 'host' | 'keeper'

/** CPU time used so far by the processes of each role, user and system, in microseconds. */
export type CpuTimes = Readonly<Record<Role, number>>

/** Linux reports hundredths of a second in /proc, whatever the kernel's own tick is (proc_pid_stat(5), USER_HZ). */
const microsecondsPerTick = 10_000

/** The CPU time of the process `root` and all its descendants. */
export function cpuTimes(root: number): CpuTimes {
  const processes = readProcesses()
  const times = { primary: 0, worker: 0, host: 0, keeper: 0 }
  for (const [pid, { ticks }] of processes) {
    if (descends(pid, root, processes)) times[roleOf(pid, root)] += ticks * microsecondsPerTick
  }
  return times
}

/** The same of all these processes together, and of those below them that have ended. */
export function cpuTimeOfAll(root: number): number {
  const processes = readProcesses()
  const ticks = [...processes]
    .filter(([pid]) => descends(pid, root, processes))
    .map(([, { ticks: own, ended }]) => own + ended)
  return ticks.reduce((sum, one) => sum + one, 0) * microsecondsPerTick
}

interface ProcessStat {
  readonly parent: number
  readonly ticks: number
  /** The ticks of its children that have ended. */
  readonly ended: number
}

function readProcesses(): Map<number, ProcessStat> {
  const processes = new Map<number, ProcessStat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined
    if (stat !== undefined) processes.set(Number(name), stat)
  }
  return processes
}

/** The figures of a process; undefined when it has ended. */
function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in brackets, which may contain anything. The third field follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((at) =>
      Number(fields[at]),
    )
    return { parent, ticks: user + system, ended: endedUser + endedSystem }
  } catch {
    return undefined
  }
}

function descends(pid: number, root: number, processes: ReadonlyMap<number, ProcessStat>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = processes.get(at)?.parent) if (at === root) return true
  return false
}

function roleOf(pid: number, root: number): Role {
  if (pid === root) return 'primary'
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  if (command.includes('worker')) return 'worker'
  return command.includes('strongroom-keeper') ? 'keeper' : 'host'
}

/** Resident memory, in bytes, of the descendant of `root` whose command line contains `what`. */
export function rssBytes(root: number, what: string): number {
  const processes = readProcesses()
  for (const pid of processes.keys()) {
    if (!descends(pid, root, processes) || !readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(what)) continue
    const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    if (kibibytes !== undefined) return Number(kibibytes) * 1024
  }
  throw new Error(`no process of ${root} names ${what}`)
}
