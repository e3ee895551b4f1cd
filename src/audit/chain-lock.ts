import { lstatSync, readFileSync, truncateSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../fault.ts'
import { asOwnerOf } from '../folder-owner.ts'
import { isRunning } from '../process-identity.ts'
import { tryFileLock, type FileLock } from '../store/file-lock.ts'

const pollMs = 50

/** The wait for a lock that is not held for long: `writtenChains` takes each one for a moment. */
export const momentMs = 200

/**
 * Makes this process the only writer of a chain. A process that holds the lock is waited for.
 * @throws Fault `audit.unavailable` after `waitMs`
 */
export async function lockChain(path: string, chain: string, waitMs: number): Promise<FileLock> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const lock = await tryLock(path)
    if (lock !== undefined) return lock
    if (waitedMs >= waitMs)
      throw new Fault(
        'audit.unavailable',
        `Another process writes the audit chain ${chain} in audit.directory; wait until it has ended.`,
      )
    await sleep(pollMs)
  }
}

/** The chains of this folder that running processes have locked. */
export async function writtenChains(directory: string): Promise<string[]> {
  const locks = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.lock'))
  const written: string[] = []
  for (const name of locks) {
    const lock = await tryLock(join(directory, name))
    if (lock === undefined) written.push(name.slice(0, -'.lock'.length))
    else lock.release()
  }
  return written
}

async function tryLock(path: string): Promise<FileLock | undefined> {
  const owner = earlierOwner(path)
  if (owner !== undefined) {
    if (await isRunning(owner)) return undefined
    asOwnerOf(path, () => earlierOwner(path) !== undefined && truncateSync(path))
  }
  return tryFileLock(path)
}

/**
 * The process that a lock of a release before 0.3 names, which is a file that is not empty. It is read in the turn in
 * which its length is: closing a descriptor of an empty one would end the lock that this process may hold.
 */
function earlierOwner(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() !== true || found.size === 0) return undefined
  return asOwnerOf(path, () => readFileSync(path, 'utf8'))
}
