import {
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../config/schema.ts'

/**
 * Gives the files that root made in a folder to the folder's owner: daemon, keeper and token hosts run as other users and
 * must be able to write what an administrator's command made. Does nothing unless root runs the command.
 */
export function leaveToOwner(folder: string): void {
  if (process.getuid?.() === 0) inFolder(realpathSync(folder), leaveAll)
}

/** The same for the files of a software token. */
export function leaveTokenToOwner({ hsm }: Pick<Config, 'hsm'>): void {
  if (hsm.tokenDirectory !== undefined) leaveToOwner(hsm.tokenDirectory)
}

/** The same for one SQLite file and its journals, and for nothing else in their folder. */
export function leaveDatabaseToOwner(file: string): void {
  if (process.getuid?.() !== 0) return
  const names = ['', '-wal', '-shm'].map((suffix) => `${basename(file)}${suffix}`)
  inFolder(realpathSync(dirname(file)), (folder, owner) => {
    for (const name of names) leave(join(folder, name), owner)
  })
}

/**
 * An attacker who is the owner can put a link in the place of any folder below his own at any moment: so each is opened
 * once, and what is in it is named through the descriptor. What is root's own is left to no other user.
 */
function inFolder(path: string, work: (folder: string, owner: Stats) => void): void {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    const owner = fstatSync(descriptor)
    if (owner.uid !== 0) work(`/proc/self/fd/${descriptor}`, owner)
  } finally {
    closeSync(descriptor)
  }
}

function leaveAll(folder: string, owner: Stats): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (leave(path, owner)?.isDirectory() === true) inFolder(path, leaveAll)
  }
}

/** A file of two names may lie elsewhere, too. */
function leave(path: string, { uid, gid }: Stats): Stats | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && stat.uid !== uid && (stat.isDirectory() || stat.nlink === 1)) lchownSync(path, uid, gid)
  return stat
}
