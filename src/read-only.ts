import { utimes } from 'node:fs/promises'
import { errorCodeOf } from './fault.ts'

// The flag of a mount is not asked: after an error of its disk, ext4 refuses to write without setting it.

/**
 * Whether nothing can be written to a folder because its file system is read-only, or refuses to write after an error.
 * Sets the times of the folder.
 */
export async function isReadOnly(folder: string): Promise<boolean> {
  try {
    const now = new Date()
    await utimes(folder, now, now)
    return false
  } catch (error) {
    return errorCodeOf(error) === 'EROFS'
  }
}
