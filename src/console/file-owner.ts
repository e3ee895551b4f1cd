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
import { databaseFiles } from '../folder-owner.ts'

/**
 * Gives files that root created in a folder to the folder's owner. The daemon, the keeper and the token hosts run as
 * other users, and must be able to write the files that a command of the operator created. Does nothing unless root
 * runs the command.
 */
export function leaveToOwner(folder: string): void {
  if (process.getuid?.() === 0) inFolder(realpathSync(folder), leaveAll)
}

/** The same for the files of a software token. */
export function leaveTokenToOwner({ hsm }: Pick<Config, 'hsm'>): void {
  if (hsm.tokenDirectory !== undefined) leaveToOwner(hsm.tokenDirectory)
}

/** The same for one SQLite file and its journals only. */
export function leaveDatabaseToOwner(file: string): void {
  if (process.getuid?.() !== 0) return
  const names = databaseFiles(basename(file))
  inFolder(realpathSync(dirname(file)), (folder, owner) => {
    for (const name of names) leave(join(folder, name), owner)
  })
}

/**
 * Runs `work` on an opened folder. An attacker who is the owner can replace any folder below his own by a link at any
 * moment. So each folder is opened once, and its content is named through the descriptor. Folders of root are left
 * unchanged.
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

/** Changes the owner of a file or folder; not of a file with several hard links, because it may belong elsewhere. */
function leave(path: string, { uid, gid }: Stats): Stats | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat !== undefined && stat.uid !== uid && (stat.isDirectory() || stat.nlink === 1)) lchownSync(path, uid, gid)
  return stat
}
