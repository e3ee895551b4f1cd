import { createRecentMap } from '../../recent-map.ts'
import type { Clocks } from './first-records.ts'

/** How often something may be done for each of many subjects: `atOnce` times, and then once in `onceInMs`. */
export interface PaceRules {
  readonly atOnce: number
  readonly onceInMs: number
}

/** Subjects that are counted. */
const mostCounted = 10_000

/**
 * Returns whether it may be done once more for this subject, which then counts. In memory only: for what would fill the
 * disk of the keeper's file, where code in a worker did it without end.
 *
 * @param elapsed a clock that is never set: after one that was set back, nothing would be free for that long
 */
export function createPace({ atOnce, onceInMs }: PaceRules, elapsed: Clocks['elapsed']): (subject: Buffer) => boolean {
  const counted = createRecentMap<number>({ limit: mostCounted })
  return (subject) => {
    const name = subject.toString('latin1')
    const free = Math.max(elapsed(), counted.get(name) ?? 0)
    if (free - elapsed() >= atOnce * onceInMs) return false
    counted.set(name, free + onceInMs)
    return true
  }
}
