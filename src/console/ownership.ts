import { lchownSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Gives what root made in a folder to the folder's owner: what an administrator's command leaves behind must not lock out the
 * daemon, which runs as another user. Does nothing for anybody but root.
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
