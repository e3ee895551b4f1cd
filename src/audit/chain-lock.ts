import { randomUUID } from 'node:crypto'
import { link, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodeOf, Fault } from '../fault.ts'
import { identityOf } from '../file-identity.ts'
import { isRunning, ownIdentity } from '../process-identity.ts'
import { textIfThere } from './optional-text.ts'

export interface ChainLock {
  /** Removes the lock. A second call has no effect, because another process may hold the lock by then. */
  release(): Promise<void>
}

const pollMs = 50

/**
 * Makes this process the only writer of a chain. The lock is a file that names its owner and its folder. The lock of a
 * dead process, or one that was copied with the folder, is replaced; a live owner is waited for.
 * @throws Fault `audit.unavailable` after `waitMs`
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
  await sweep(path, folder).catch(() => undefined)
  let released: Promise<void> | undefined
  return { release: () => (released ??= rm(path, { force: true })) }
}

/** The chains of this folder that running processes have locked. */
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

// Two processes may find the same dead owner. Before one of them removes the lock, it takes a second lock, named after
// the dead owner, and reads the first again. So it never removes a lock that a faster process has just taken.
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

// Creates the file with link(2), not with O_EXCL, so that no process can read a lock whose owner is not written yet.
async function create(path: string, self: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, self, { mode: 0o600, flag: 'wx' })
    return await takes(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

async function takes(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    // ENOENT: who has got the lock meanwhile took the draft, which did not name its owner yet, for that of a dead process.
    if (['EEXIST', 'ENOENT'].includes(errorCodeOf(error) ?? '')) return false
    throw error
  }
}

/** Removes the files of killed processes beside a lock. The caller holds the lock, so no process can get it by one of them. */
async function sweep(path: string, folder: string): Promise<void> {
  for (const entry of await readdir(dirname(path), { withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.startsWith(`${basename(path)}.`)) continue
    const left = join(dirname(path), entry.name)
    const owner = await ownerOf(left)
    if (owner !== undefined && !(await isAlive(owner, folder))) await rm(left, { force: true })
  }
}

/** The owner that a lock names; undefined where there is no lock. */
const ownerOf = textIfThere

/** Whether the owner in a lock is a running process. Locks of earlier releases do not name a folder. */
async function isAlive(identity: string, here: string): Promise<boolean> {
  const [, , , folder = here] = identity.split('.')
  return folder === here && (await isRunning(identity))
}

/** Device and inode number of the folder, which differ between a folder and its copy. */
async function folderIdentity(path: string): Promise<string> {
  return identityOf(await stat(dirname(path), { bigint: true }))
}
