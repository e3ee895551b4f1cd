import type { TryRules } from '../try-rules.ts'
import type { KeeperState } from './keeper-state.ts'

/** Limits how often something can be tried wrongly, such as the codes of one device. */
export interface TryLimit {
  /** Whether one more try counts. What is tried when it does not is wrong, whatever it is. */
  allows(subject: Buffer): boolean
  /** Notes the end of a try; it costs the same whether it counts as a wrong one. */
  note(subject: Buffer, isWrong: boolean): void
}

const limitReached =
  'A limit of wrong tries was reached: a pass phrase, or the codes of a device, are refused for a time. A worker may ask past its throttle.'

/** The "leaky bucket as a meter" (ITU-T I.371, GCRA): one time for each subject, when all its tries are paid for. */
export function createTryLimit(
  state: KeeperState,
  { burst, intervalMs }: TryRules,
  now: () => number,
  report: (sentence: string) => void,
): TryLimit {
  state.exec(
    'CREATE TABLE IF NOT EXISTS tries (subject BLOB PRIMARY KEY, paid_at INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  const find = state.prepare<[Buffer], { readonly paid_at: number }>('SELECT paid_at FROM tries WHERE subject = ?')
  const keep = state.prepare('INSERT OR REPLACE INTO tries (subject, paid_at) VALUES (?, ?)')
  const sweep = state.prepare('DELETE FROM tries WHERE paid_at < ?')
  const spanMs = burst * intervalMs
  let sweptAt = now()

  /** No more than a burst ahead: a clock that was set back must not shut the user out for longer. */
  const paidAt = (subject: Buffer): number => Math.min(Math.max(find.get(subject)?.paid_at ?? 0, now()), now() + spanMs)

  /** What a crash of the machine takes is tries of its last moment; that of the keeper takes none. */
  function quickly(work: () => void): void {
    // Together with other requests it shares their sync.
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
      const paid = Math.round(paidAt(subject) + (isWrong && isAllowed ? intervalMs : 0))
      quickly(() => {
        keep.run(subject, paid)
        if (Math.abs(now() - sweptAt) > spanMs) {
          sweep.run(now())
          sweptAt = now()
        }
      })
      if (isAllowed && !allows(subject)) report(limitReached)
    },
  }
}
