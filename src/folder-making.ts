import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCodeOf } from './fault.ts'

/**
 * Makes a folder, and those above it, unless they are there: for this user alone, or with this mode. `mkdir` of
 * Node.js 20 with `recursive` never returns where the file system makes no folders (/proc).
 */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await mkdir(path, mode)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error
    await makeFolder(dirname(path), mode)
    await makeFolder(path, mode)
  }
}
