import { randomUUID } from 'node:crypto'
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodeOf, Fault } from '../fault.ts'

export interface ChainLock {
  /** Once: the lock may be another's by the second time. */
  release(): Promise<void>
}

const pollMs = 50

/**
 * Makes this process the only writer of a chain. The lock is a file that names its owner and its folder; an owner that
 * has died is replaced, and so is a lock that came with a copy of the folder; a live one is waited for. Rejects with `audit.unavailable` after `waitMs`.
 */
export async function lockChain(path: string, chain: string, waitMs: number): Promise<ChainLock> {
  const folder = await folderIdentity(path)
  const self = `${await ownIdentity()}.${folder}`
  for (let waitedMs = 0; !(await tryLock(path, self, folder)); waitedMs += pollMs) {
    if (waitedMs >= waitMs) {
      const owner = await ownerOf(path)
      const pid = owner?.split('.')[1] ?? 'unknown'
      throw new Fault(
        'audit.unavailable',
        `Process ${pid} writes the audit chain ${chain} in audit.directory; wait until it has ended.`,
      )
    }
    await sleep(pollMs)
  }
  let released: Promise<void> | undefined
  return { release: () => (released ??= rm(path, { force: true })) }
}

/** The chains of this folder that a process writes now. */
export async function writtenChains(directory: string): Promise<string[]> {
  const locks = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.lock'))
  const written = await Promise.all(
    locks.map(async (name) => {
      const path = join(directory, name)
      const owner = await ownerOf(path)
      return owner !== undefined && (await isAlive(owner, await folderIdentity(path)))
        ? [name.slice(0, -'.lock'.length)]
        : []
    }),
  )
  return written.flat()
}

// Two processes may find the same dead owner. The right to remove its lock is itself a lock, named after the dead
// owner, and the lock is read again under it: so no process removes the lock that a faster one has just taken.
async function tryLock(path: string, self: string, folder: string): Promise<boolean> {
  if (await create(path, self)) return true
  const owner = await ownerOf(path)
  if (owner === undefined || (await isAlive(owner, folder))) return false
  const claim = `${path}.${owner}`
  if (!(await tryLock(claim, self, folder))) return false
  try {
    if ((await ownerOf(path)) !== owner) return false
    await rm(path)
    return await create(path, self)
  } finally {
    await rm(claim, { force: true })
  }
}

// By link and not by O_EXCL, so that no process ever reads a lock whose owner is not written yet.
async function create(path: string, self: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, self, { mode: 0o600, flag: 'wx' })
    await link(draft, path)
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function ownerOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  })
}

async function ownIdentity(): Promise<string> {
  return `${await bootId()}.${process.pid}.${await startTicks(process.pid)}`
}

/** The lock of an earlier release names no folder. */
async function isAlive(identity: string, here: string): Promise<boolean> {
  const [boot, pid, start, folder = here] = identity.split('.')
  if (folder !== here) return false
  return boot === (await bootId()) && start !== undefined && start === (await startTicks(Number(pid)))
}

/** A copy is another folder, whichever process writes the one that it was made from. */
async function folderIdentity(path: string): Promise<string> {
  const { dev, ino } = await stat(dirname(path), { bigint: true })
  return `${dev}-${ino}`
}

// A process number is used again, after a reboot even with the same start time: hence all three.
async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}

/**
 * Fields 3 and 22 of /proc/<pid>/stat (proc_pid_stat(5)); the command's name before them may hold blanks and brackets.
 * Undefined for a process that is gone, or dead and only not yet waited for.
 */
async function startTicks(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}
