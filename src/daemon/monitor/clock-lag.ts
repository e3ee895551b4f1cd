import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { ClockSight, WorkerSight } from '../../monitor/observation.ts'

/**
 * Compares the clock with the latest time that the appliance has seen: of the files of the trail at the start, and of
 * every look since.
 */
export function createClockLag(
  clock: Clock,
  trailFolder: string,
): (workers: readonly WorkerSight[]) => Promise<ClockSight> {
  let latest: number | undefined
  let since: number | undefined

  return async (workers) => {
    latest ??= await lastChange(trailFolder)
    const now = clock.now()
    latest = Math.max(latest, now, ...workers.map(({ report }) => report?.trail.wroteAt ?? 0))
    const behindMs = latest - now
    since = behindMs === 0 ? undefined : (since ?? performance.now())
    return { behindMs, forMs: since === undefined ? 0 : performance.now() - since }
  }
}

async function lastChange(folder: string): Promise<number> {
  const files = await readdir(folder).catch(() => [])
  const times = files.map((file) =>
    stat(join(folder, file)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  )
  return Math.max(0, ...(await Promise.all(times)))
}
