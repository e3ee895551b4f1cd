import { generationOf } from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import { createRecentMap } from '../../recent-map.ts'
import type { Floors } from './floors.ts'

/** For so long after the seal a key may turn out to be in no row, because the commit failed. */
const freshMs = 60_000
const limit = 1_000

/** Keys that were sealed in a record a moment ago, by their provenance: forgotten with the process. */
export interface FreshKeys {
  /** @param user identity of the caller for whom it was sealed */
  note(provenance: Buffer, record: OpenedRecord, user: Buffer | undefined): void
  /**
   * Until when this caller may take such a key back: it was sealed for the same one, and no commit of it was shown.
   * Undefined where he may not.
   */
  goesUntil(provenance: Buffer, user: Buffer | undefined): number | undefined
}

interface FreshKey {
  /** Undefined for a record without generations. */
  readonly subject: Buffer | undefined
  readonly user: Buffer
  readonly sealedAt: number
}

export function createFreshKeys(floors: Pick<Floors, 'of'>, now: () => number): FreshKeys {
  const kept = createRecentMap<FreshKey>({ limit })
  return {
    note(provenance, record, user) {
      if (user === undefined) return
      // The frame that brought them is zeroed after the reply.
      const fresh = { subject: generationOf(record)?.subject, user: Buffer.from(user), sealedAt: now() }
      kept.set(provenance.toString('latin1'), fresh)
    },
    goesUntil(provenance, user) {
      const found = kept.get(provenance.toString('latin1'))
      if (found === undefined || user?.equals(found.user) !== true) return undefined
      const isFresh = Math.abs(now() - found.sealedAt) <= freshMs
      const isCommitted = found.subject !== undefined && floors.of(found.subject) !== undefined
      return isFresh && !isCommitted ? found.sealedAt + freshMs : undefined
    },
  }
}
