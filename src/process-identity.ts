import { readFile, readlink, stat } from 'node:fs/promises'

const mark = '-in-'

// Process numbers are reused, after a reboot even with the same start time. So an identity has all three: boot, process
// number and start time.

/**
 * A name of this process that no other one has, for a file that tells whose something is. It names the PID namespace,
 * too: in another container, or on another machine, the same number is another process's.
 */
export async function ownIdentity(): Promise<string> {
  return `${await bootId()}.${process.pid}.${await startTicks(process.pid)}${mark}${await ownNamespace()}`
}

/** Whether the process of this identity still runs. Processes of other namespaces are not found. */
export async function isRunning(identity: string): Promise<boolean> {
  const [boot, pid, start] = identity.split(mark)[0]?.split('.') ?? []
  return boot === (await bootId()) && start !== undefined && start === (await startTicks(Number(pid)))
}

/** A draft of a backup grows while it is made, and is then read back, which may take hours where it is large. */
const longestPauseMs = 21_600_000

/**
 * Whether the process of this identity, which made the file or folder, has ended. Machines and containers may share the
 * folder that it lies in. Whether a process elsewhere runs shows only by what it writes.
 */
export async function isLeftOver(path: string, identity: string): Promise<boolean> {
  const [, namespace] = identity.split(mark)
  // Earlier releases noted none.
  if (namespace === undefined || namespace === (await ownNamespace())) return !(await isRunning(identity))
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > longestPauseMs
}

/** Names the processes that this one can look for: those of this boot and of its PID namespace. */
async function ownNamespace(): Promise<string> {
  const [inode = ''] = /\d+/.exec(await readlink('/proc/self/ns/pid')) ?? []
  return `${await bootId()}.${inode}`
}

async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}

/**
 * The start time of a process in clock ticks: field 22 of /proc/<pid>/stat (proc_pid_stat(5)). The command's name
 * before the fields may contain spaces and brackets. Undefined for a process that is gone, or that has ended (field 3).
 */
async function startTicks(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}
