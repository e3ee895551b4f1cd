import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCodeOf, Fault } from './fault.ts'

/**
 * Has root open a database with the rights of its folder's owner, where he comes to it at all: an attacker who is that user
 * lays links and journals there, by which root would write or remove a file elsewhere. `work` is done when it returns.
 *
 * Debian's Node.js gives up no rights, because it is linked to a libuv that may use io_uring (CVE-2024-22017). There root looks
 * for links and journals before, which leaves the attacker the moment between.
 * @throws Fault `store.unavailable` where one lies there
 */
export function asOwnerOf<T>(file: string, work: () => T): T {
  if (process.getuid?.() !== 0) return work()
  const folder = dirname(file)
  const { uid, gid } = statSync(folder)
  if (uid === 0) return work()
  const restore = takeRightsOf(uid, gid)
  if (restore === undefined) {
    refuseLaid(file)
    return work()
  }
  try {
    if (comesTo(folder)) return work()
  } finally {
    restore()
  }
  refuseLaid(file)
  return work()
}

/** Returns what gives root his rights back; undefined where this Node.js cannot give them up. */
function takeRightsOf(uid: number, gid: number): (() => void) | undefined {
  const groups = process.getgroups?.() ?? []
  try {
    process.setgroups?.([gid])
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_INVALID_STATE') return undefined
    throw error
  }
  process.setegid?.(gid)
  process.seteuid?.(uid)
  return () => {
    process.seteuid?.(0)
    process.setegid?.(0)
    process.setgroups?.(groups)
  }
}

function comesTo(folder: string): boolean {
  try {
    statSync(`${folder}/.`)
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EACCES') return false
    throw error
  }
}

/** In WAL mode, in which all of ours are, SQLite makes no rollback journal; one that it finds it follows. */
function refuseLaid(file: string): void {
  for (const path of ['', '-wal', '-shm'].map((ending) => file + ending))
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Fault('store.unavailable', `${path} is a link, which root does not follow: put the file in its place.`)
  const journal = `${file}-journal`
  if (lstatSync(journal, { throwIfNoEntry: false }) !== undefined)
    throw new Fault(
      'store.unavailable',
      `${journal} is there, which root does not use: start the daemon once, or move it away.`,
    )
}
