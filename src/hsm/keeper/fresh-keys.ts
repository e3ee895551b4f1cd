import type { Generation } from '../record-generation.ts'
import { createRecentMap } from '../../recent-map.ts'
import type { Floors } from './floors.ts'

/** How long after its record was sealed a key may be taken back, because the commit failed. */
const freshMs = 60_000
const limit = 1_000

/** Keys whose records were sealed a moment ago, by provenance. Kept in memory only. */
export interface FreshKeys {
  /**
   * @param committedWith what is shown of the commit: for a version of a key, the policy that counts it first
   * @param user identity of the caller for whom the record was sealed
   */
  note(provenance: Buffer, committedWith: Generation | undefined, user: Buffer | undefined): void
  /**
   * The time until which this caller may take the key back. Undefined unless it was sealed for this caller and no
   * commit of it was shown.
   */
  goesUntil(provenance: Buffer, user: Buffer | undefined): number | undefined
}

interface FreshKey {
  /** Undefined for a record without generations. */
  readonly committedWith: Generation | undefined
  readonly user: Buffer
  readonly sealedAt: number
}

export function createFreshKeys(floors: Pick<Floors, 'of'>, now: () => number): FreshKeys {
  const kept = createRecentMap<FreshKey>({ limit })
  return {
    note(provenance, committedWith, user) {
      if (user === undefined) return
      // Copies, because the frame is zeroed after the reply.
      const fresh = { committedWith, user: Buffer.from(user), sealedAt: now() }
      kept.set(provenance.toString('latin1'), fresh)
    },
    goesUntil(provenance, user) {
      const found = kept.get(provenance.toString('latin1'))
      if (found === undefined || user?.equals(found.user) !== true) return undefined
      const isFresh = Math.abs(now() - found.sealedAt) <= freshMs
      const { committedWith } = found
      const isCommitted = committedWith !== undefined && (floors.of(committedWith.subject) ?? 0) >= committedWith.number
      return isFresh && !isCommitted ? found.sealedAt + freshMs : undefined
    },
  }
}
