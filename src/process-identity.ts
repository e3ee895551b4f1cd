import { readFile, readlink } from 'node:fs/promises'

// Process numbers are reused, after a reboot even with the same start time. So an identity has all three: boot, process
// number and start time.

/** A name of this process that no other one has, for a file that tells whose something is. */
export async function ownIdentity(): Promise<string> {
  return `${await bootId()}.${process.pid}.${await startTicks(process.pid)}`
}

/** Whether the process of this identity still runs. */
export async function isRunning(identity: string): Promise<boolean> {
  const [boot, pid, start] = identity.split('.')
  return boot === (await bootId()) && start !== undefined && start === (await startTicks(Number(pid)))
}

/**
 * Names the processes that this one can look for: those of this boot and of its PID namespace. In another container, or
 * on another machine, process numbers are of others.
 */
export async function ownNamespace(): Promise<string> {
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
