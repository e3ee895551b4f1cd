import { existsSync, lchownSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Gives the files that root made in a folder to the folder's owner: daemon, keeper and token hosts run as other users and
 * must be able to write what an administrator's command made. Does nothing unless root runs the command.
 */
export function leaveToOwner(folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = lstatSync(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (lstatSync(path).uid !== uid) lchownSync(path, uid, gid)
    if (entry.isDirectory()) leaveToOwner(path)
  }
}

/** The same for one SQLite file and its journals, and for nothing else in their folder. */
export function leaveDatabaseToOwner(file: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = lstatSync(dirname(file))
  for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) lchownSync(path, uid, gid)
}
