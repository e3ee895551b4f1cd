import { statfs } from 'node:fs/promises'

const lookMs = 5_000
/** The reserve is this part of the disk, but at most 1 GiB. */
const part = 0.05
const mostBytes = 1024 ** 3

/**
 * Creates a check whether the disk of the trail has more free space than the reserve for records of authenticated
 * callers. The measurement is at most about five seconds old.
 */
export function createDiskReserve(directory: string): () => boolean {
  let isLeft = true

  async function look(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(directory)
    isLeft = bavail * bsize > Math.min(mostBytes, blocks * bsize * part)
  }

  // If the folder cannot be read, the trail itself reports that.
  setInterval(() => void look().catch(() => (isLeft = true)), lookMs).unref()
  return () => isLeft
}
