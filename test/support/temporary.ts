import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const enoughBytes = 2 ** 30
const memory = '/dev/shm'

/**
 * Folder of temporary files: in memory, where a sync costs nothing, if there is room and programs and modules can run
 * from it; else the system's own.
 */
export function temporaryFolder(): string {
  return isFit(memory) ? memory : tmpdir()
}

/** Whether the temporary folder belongs to one run of the tests and is removed with it. */
export const isTestRun = process.env['STRONGROOM_TEST_DISK'] !== undefined

/** Folder for tests of durability: not in memory, unless the system's own temporary folder is. */
export const diskFolder = (): string => process.env['STRONGROOM_TEST_DISK'] ?? tmpdir()

function isFit(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
    const [, , type, options = ''] = mounts.findLast((line) => line.split(' ')[1] === folder)?.split(' ') ?? []
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= enoughBytes
  } catch {
    return false
  }
}
