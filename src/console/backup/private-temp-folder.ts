import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'

/**
 * Creates a folder for a temporary file that root would otherwise write beside `file`. The daemon's user owns that
 * folder. An attacker who is that user could replace any file in it by a link, through which root would write. So root
 * creates the folder in the nearest folder above in which only root can change names. Any other user creates it beside
 * `file`.
 */
export function makePrivateTempFolder(file: string): string {
  const folder = realpathSync(dirname(file))
  const parent = process.getuid?.() === 0 ? nearestOfRoot(folder) : folder
  const prefix = `.strongroom-copy-${hash('sha256', join(folder, basename(file))).slice(0, 16)}-`
  // Remove folders of killed runs. Only one run per appliance takes place at a time.
  for (const name of readdirSync(parent))
    if (name.startsWith(prefix) && statSync(join(parent, name)).uid === process.getuid?.())
      rmSync(join(parent, name), { recursive: true, force: true })
  return mkdtempSync(join(parent, prefix))
}

/** Walks down from `/` while no other user can rename or remove root's files. */
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

/** In a folder with the sticky bit, such as /tmp, only the owner of a file can rename or remove it. */
function isOfRootAlone(folder: string): boolean {
  const { uid, mode } = statSync(folder)
  return uid === 0 && ((mode & writableByOthers) === 0 || (mode & sticky) !== 0)
}
