import { open } from 'node:fs/promises'

/** Syncs a folder: resolves once the names of created, renamed or removed files are on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
