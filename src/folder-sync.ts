import { open } from 'node:fs/promises'

/** Resolves once the names in a folder are on the disk: those of files that were made, renamed or removed. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
