import { statfs } from 'node:fs/promises'

const lookMs = 5_000
/** This part of the disk, and no more than a GiB. */
const part = 0.05
const mostBytes = 1024 ** 3

/**
 * Tells whether the disk of the trail has more room than what is kept for records of callers with a session, as of some
 * seconds ago.
 */
export function createDiskReserve(directory: string): () => boolean {
  let isLeft = true

  async function look(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(directory)
    isLeft = bavail * bsize > Math.min(mostBytes, blocks * bsize * part)
  }

  // A folder that cannot be read is for the trail itself to report.
  setInterval(() => void look().catch(() => (isLeft = true)), lookMs).unref()
  return () => isLeft
}
