import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { dayMs } from '../monitor/judgement.ts'
import { readState, writeState } from '../state-file.ts'

/**
 * Whether the clock may be believed for what cannot be undone. A clock that is ahead, at a start or by a slip of the
 * operator, would end all recovery windows at once.
 */
export interface BelievedClock {
  /** False from when the clock is more than a day ahead until it is set right, or has run like that for a day in all. */
  isBelieved(): Promise<boolean>
}

export interface BelievedClockOptions {
  /** The folder of the trail: the time that was believed last is kept there, for the next start. */
  readonly directory: string
  readonly clock: Clock
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number
  readonly log: Pick<Log, 'warn' | 'info'>
}

const shape = z.object({ at: z.number(), aheadForMs: z.number().default(0) })
/** What the next start has to know: the time that was believed last, and for how long the clock has been ahead of it. */
type Kept = z.infer<typeof shape>

export function createBelievedClock(options: BelievedClockOptions): BelievedClock {
  const { directory, clock, elapsed = () => performance.now(), log } = options
  const file = join(directory, 'believed-clock.json')
  /** `Kept`, and when it was looked at, as `elapsed`. */
  let last: (Kept & { readonly elapsed: number }) | undefined
  let isAhead = false

  async function keep(kept: Kept, passed: number): Promise<void> {
    last = { ...kept, elapsed: passed }
    // A disk that is full leaves the time before it, as a power cut does.
    await writeState(file, kept).catch(() => undefined)
  }

  return {
    async isBelieved() {
      const [now, passed] = [clock.now(), elapsed()]
      // At the first start there is nothing to compare with.
      last ??= { ...((await readState(file, shape)) ?? { at: now, aheadForMs: 0 }), elapsed: passed }
      const at = last.at + passed - last.elapsed
      const aheadMs = now - at
      // Counted over all starts: else what has ended would stay for good where the appliance is restarted every day.
      const aheadForMs = last.aheadForMs + (isAhead ? passed - last.elapsed : 0)
      if (aheadMs <= dayMs || aheadForMs >= dayMs) {
        if (isAhead) log.info({}, 'the clock is believed again: what has ended is destroyed')
        isAhead = false
        await keep({ at: now, aheadForMs: 0 }, passed)
        return true
      }
      if (!isAhead)
        log.warn(
          { days: Math.floor(aheadMs / dayMs) },
          'the clock is days ahead of what it was, or nothing ran meanwhile: no deleted key, object or link is destroyed for a day. Set the clock right if it is wrong',
        )
      isAhead = true
      await keep({ at, aheadForMs }, passed)
      return false
    },
  }
}
