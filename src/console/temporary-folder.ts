import { rmSync } from 'node:fs'
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLeftOver, ownIdentity } from '../process-identity.ts'

const prefix = 'strongroom-'
/** Names the command that made the folder. */
const ownerFile = '.owner'

export interface TemporaryFolder {
  readonly path: string
  /** Removes it. A command that is interrupted does so as well. */
  readonly discard: () => void
}

/** Makes a folder for this command alone (TMPDIR), and removes those of this user's commands that were killed. */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  await removeLeftOver()
  const path = await mkdtemp(join(tmpdir(), prefix))
  const discard = () => {
    process.off('exit', discard)
    rmSync(path, { recursive: true, force: true })
  }
  process.once('exit', discard)
  await writeFile(join(path, ownerFile), await ownIdentity(), { mode: 0o600 })
  return { path, discard }
}

async function removeLeftOver(): Promise<void> {
  // What cannot be listed, read or removed is no reason to do nothing else: others' files may be hidden from this user.
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(prefix)) continue
    const folder = join(tmpdir(), name)
    if (await isAbandoned(folder).catch(() => false))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** A folder without an owner, or whose owner is not written yet, may just have been made. */
async function isAbandoned(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return false
  const owner = await readFile(join(folder, ownerFile), 'utf8')
  return owner !== '' && (await isLeftOver(folder, owner))
}
