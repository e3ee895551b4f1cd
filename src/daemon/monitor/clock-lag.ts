import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listSegments } from '../../audit/segment.ts'
import type { Clock } from '../../clock.ts'
import { errorCodeOf } from '../../fault.ts'
import type { ClockObservation, WorkerObservation } from '../../monitor/observation.ts'

/**
 * How far the clock is behind the latest time seen: that of the trail's newest
 * files at the start, and of every check since.
 */
export function createClockLag(
  clock: Clock,
  trailFolder: string,
): (workers: readonly WorkerObservation[]) => Promise<ClockObservation> {
  let latest: number | undefined
  let since: number | undefined

  return async (workers) => {
    latest ??= await lastChange(trailFolder).catch(() => 0)
    const now = clock.now()
    latest = Math.max(latest, now, ...workers.map(({ report }) => report?.trail.wroteAt ?? 0))
    const behindMs = latest - now
    since = behindMs === 0 ? undefined : (since ?? performance.now())
    return { behindMs, forMs: since === undefined ? 0 : performance.now() - since }
  }
}

/**
 * The last modification of any chain's newest file; 0 where there is none. Earlier files may have been written while the
 * clock was ahead, and keep that time.
 */
export async function lastChange(folder: string): Promise<number> {
  const newest = [...(await listSegments(folder)).values()].flatMap((segments) => segments.slice(-1))
  const times = newest.map(async ({ name }) => {
    try {
      return (await stat(join(folder, name))).mtimeMs
    } catch (error) {
      // The file was moved to an archive meanwhile.
      if (errorCodeOf(error) === 'ENOENT') return 0
      throw error
    }
  })
  return Math.max(0, ...(await Promise.all(times)))
}
