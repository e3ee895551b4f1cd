import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const enoughBytes = 2 ** 30
const memory = '/dev/shm'

/**
 * Where temporary files of tests lie: in memory, where a sync costs nothing, when there is room, and programs and modules may be
 * run from there; else where the system says.
 */
export function temporaryFolder(): string {
  return isFit(memory) ? memory : tmpdir()
}

/** Whether the temporary folder is that of one run of the tests, and goes with it. */
export const isTestRun = process.env['STRONGROOM_TEST_DISK'] !== undefined

/** For tests of what a disk keeps: not in memory, unless the system's own temporary folder is. */
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
