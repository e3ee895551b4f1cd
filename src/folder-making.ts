import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf } from './fault.ts'

/**
 * Makes a folder, and those above it, for this user alone. `mkdir` of Node.js 20 with `recursive` never returns where
 * the file system makes no folders (/proc).
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    await makeFolder(dirname(path))
    await makeFolder(path)
  }
}
