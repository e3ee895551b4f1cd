import type { TryRules } from '../try-rules.ts'
import type { KeeperState } from './keeper-state.ts'

/** Limits wrong tries, for example of the codes of one device. */
export interface TryLimit {
  /** Whether one more try is allowed. A try that is not allowed counts as wrong, whatever it is. */
  allows(subject: Buffer): boolean
  /** Notes a finished try. Costs the same for right and wrong ones. */
  note(subject: Buffer, isWrong: boolean): void
}

const limitReached =
  'A limit of wrong tries was reached: a pass phrase, or the codes of a device, are refused for a time. A worker may ask past its throttle.'

/**
 * The "leaky bucket as a meter" (ITU-T I.371, GCRA): one time per subject, at which all its tries will be forgotten.
 *
 * @param lasting a clock that is not ahead of what has passed since the start: subjects are forgotten by it
 */
export function createTryLimit(
  state: KeeperState,
  { burst, intervalMs }: TryRules,
  { now, lasting }: { readonly now: () => number; readonly lasting: () => number },
  report: (sentence: string) => void,
): TryLimit {
  state.exec(
    'CREATE TABLE IF NOT EXISTS tries (subject BLOB PRIMARY KEY, paid_at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  const find = state.prepare<[Buffer], { readonly paid_at: number }>('SELECT paid_at FROM tries WHERE subject = ?')
  const keep = state.prepare('INSERT OR REPLACE INTO tries (subject, paid_at) VALUES (?, ?)')
  const sweep = state.prepare('DELETE FROM tries WHERE paid_at < ?')
  const spanMs = burst * intervalMs
  let sweptAt = lasting()

  /**
   * A time that lies more than a try beyond the burst is of a clock that was ahead: it leaves one try, so that the right
   * one is let in at once, and the wrong one waits.
   */
  const stored = (subject: Buffer): number => {
    const [at, mostAt] = [find.get(subject)?.paid_at ?? 0, now() + spanMs]
    return at > mostAt + intervalMs ? mostAt - intervalMs : Math.min(at, mostAt)
  }
  const paidAt = (subject: Buffer): number => Math.max(stored(subject), now())

  /**
   * Without a sync of its own: a crash of the machine loses the tries of its last moments, a crash of the keeper none.
   */
  function quickly(work: () => void): void {
    // Within a transaction the tries share the sync of the other requests.
    if (state.inTransaction) return work()
    state.exec('PRAGMA synchronous = NORMAL')
    try {
      work()
    } finally {
      state.exec('PRAGMA synchronous = FULL')
    }
  }

  const allows = (subject: Buffer): boolean => paidAt(subject) + intervalMs <= now() + spanMs

  return {
    allows,
    note(subject, isWrong) {
      const isAllowed = allows(subject)
      // A right try stores no time: under a clock that is ahead for a while it would be one at which every later try
      // counts as wrong.
      const paid = Math.round(isWrong && isAllowed ? paidAt(subject) + intervalMs : stored(subject))
      quickly(() => {
        keep.run(subject, paid)
        // Soon, because a worker can make up as many checks of pass phrases as it likes, each of them a subject.
        if (Math.abs(lasting() - sweptAt) > intervalMs) {
          sweep.run(lasting())
          sweptAt = lasting()
        }
      })
      if (isAllowed && !allows(subject)) report(limitReached)
    },
  }
}
