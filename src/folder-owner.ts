import { lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCodeOf, Fault } from './fault.ts'

/**
 * Runs `work`, which opens a database or uses a software token, with the rights of the folder's owner if the process is
 * root and the owner can enter the folder. Otherwise an attacker who is that user could place links or journals in the
 * folder that make root write or remove other files. `work` must be finished when it returns. Within other `work` the
 * rights stay as they are.
 *
 * Debian's Node.js cannot give up rights, because it is linked to a libuv that may use io_uring (CVE-2024-22017). There
 * root checks for links and journals first, which leaves a short race.
 * @throws Fault `store.unavailable` if it finds one
 */
export function asOwnerOf<T>(file: string, work: () => T): T {
  if (process.geteuid?.() !== 0) return work()
  const folder = dirname(file)
  const { uid, gid } = ownerOf(folder)
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

/** The owner of a folder; where a link lies in its place that is not root's, the owner of the link. */
export function ownerOf(folder: string): { readonly uid: number; readonly gid: number } {
  const found = lstatSync(folder)
  const { uid, gid } = found.uid === 0 ? statSync(folder) : found
  return { uid, gid }
}

let firstTaking: (() => void) | undefined

/** Before this process takes an owner's rights for the first time: from then on the kernel forgets its death signal. */
export function beforeFirstTaking(work: () => void): void {
  firstTaking = work
}

/**
 * Takes the owner's rights. Returns a function that restores root's rights; undefined if this Node.js cannot give them
 * up.
 */
function takeRightsOf(uid: number, gid: number): (() => void) | undefined {
  const groups = process.getgroups?.() ?? []
  try {
    process.setgroups?.([gid])
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_INVALID_STATE') return undefined
    throw error
  }
  firstTaking?.()
  firstTaking = undefined
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

/**
 * Refuses links and rollback journals. All our databases use WAL mode, in which SQLite creates no rollback journal, but
 * SQLite would apply one that it finds.
 */
function refuseLaid(file: string): void {
  for (const path of databaseFiles(file))
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new Fault('store.unavailable', `${path} is a link, which root does not follow: put the file in its place.`)
  const journal = `${file}-journal`
  if (lstatSync(journal, { throwIfNoEntry: false }) !== undefined)
    throw new Fault(
      'store.unavailable',
      `${journal} is there, which root does not use: start the daemon once, or move it away.`,
    )
}

/** An SQLite file with those that SQLite keeps beside it in WAL mode. */
export const databaseFiles = (file: string): string[] => ['', '-wal', '-shm'].map((ending) => file + ending)
