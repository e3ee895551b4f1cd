import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

/**
 * A fresh folder for a file that root makes beside others of this file's folder for a while, and gives up. The daemon's user owns
 * that folder: an attacker who is that user can put a link in the place of any file in it, at any moment, and root would write
 * through it. So the folder is made in the nearest one above in which root alone changes names. Any other user makes it there.
 */
export function makePrivateTempFolder(file: string): string {
  const folder = realpathSync(dirname(file))
  const parent = process.getuid?.() === 0 ? nearestOfRoot(folder) : folder
  const prefix = `.strongroom-copy-${createHash('sha256')
    .update(join(folder, basename(file)))
    .digest('hex')
    .slice(0, 16)}-`
  // Of a run that was killed: one of an appliance runs at a time.
  for (const name of readdirSync(parent))
    if (name.startsWith(prefix) && statSync(join(parent, name)).uid === process.getuid?.())
      rmSync(join(parent, name), { recursive: true, force: true })
  return mkdtempSync(join(parent, prefix))
}

/** From the top as far as no other user can rename or remove what root puts there. */
function nearestOfRoot(folder: string): string {
  let nearest: string = sep
  for (const name of folder.split(sep).slice(1)) {
    const next = join(nearest, name)
    if (!isOfRootAlone(next)) break
    nearest = next
  }
  return nearest
}

const [sticky, writableByOthers] = [0o1000, 0o022]

/** In a folder with the sticky bit, such as that of temporary files, only its owner renames or removes a file. */
function isOfRootAlone(folder: string): boolean {
  const { uid, mode } = statSync(folder)
  return uid === 0 && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0)
}
