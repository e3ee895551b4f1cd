import { createRecentMap } from '../../recent-map.ts'

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
 */
export function createPace({ atOnce, onceInMs }: PaceRules, now: () => number): (subject: Buffer) => boolean {
  const counted = createRecentMap<number>({ limit: mostCounted })
  return (subject) => {
    const name = subject.toString('latin1')
    const free = Math.max(now(), counted.get(name) ?? 0)
    if (free - now() >= atOnce * onceInMs) return false
    counted.set(name, free + onceInMs)
    return true
  }
}
