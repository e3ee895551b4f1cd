import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { dayMs } from '../monitor/judgement.ts'

/**
 * Whether the clock may be believed for what cannot be undone. A clock that is ahead, at a start or by a slip of the
 * operator, would end all recovery windows at once.
 */
export interface BelievedClock {
  /** False from when the clock is more than a day ahead until it is set right, or has gone on like that for a day. */
  isBelieved(): Promise<boolean>
}

export interface BelievedClockOptions {
  /** The folder of the trail: the time that was believed last is kept there, for the next start. */
  readonly directory: string
  readonly clock: Clock
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed?: () => number
  readonly log: Pick<Log, 'warn' | 'info'>
}

const file = 'believed-clock.json'
const shape = z.object({ at: z.number() })

export function createBelievedClock(options: BelievedClockOptions): BelievedClock {
  const { directory, clock, elapsed = () => performance.now(), log } = options
  let last: { readonly at: number; readonly elapsed: number } | undefined
  /** When the clock was first found ahead, as `elapsed`. */
  let aheadSince: number | undefined

  async function believe(now: number): Promise<true> {
    if (aheadSince !== undefined) log.info({}, 'the clock is believed again: what has ended is destroyed')
    aheadSince = undefined
    last = { at: now, elapsed: elapsed() }
    // Not flushed: after a power cut the time before it counts. A disk that is full leaves that as well.
    const path = join(directory, file)
    await writeFile(`${path}.new`, JSON.stringify({ at: now }), { mode: 0o600 })
      .then(() => rename(`${path}.new`, path))
      .catch(() => undefined)
    return true
  }

  return {
    async isBelieved() {
      const now = clock.now()
      // At the first start there is nothing to compare with.
      last ??= { at: (await readTime(directory)) ?? now, elapsed: elapsed() }
      const aheadMs = now - (last.at + elapsed() - last.elapsed)
      if (aheadMs <= dayMs || (aheadSince !== undefined && elapsed() - aheadSince >= dayMs)) return believe(now)
      if (aheadSince === undefined)
        log.warn(
          { days: Math.floor(aheadMs / dayMs) },
          'the clock is days ahead of what it was, or nothing ran meanwhile: no deleted key, object or link is destroyed for a day. Set the clock right if it is wrong',
        )
      aheadSince ??= elapsed()
      return false
    },
  }
}

async function readTime(directory: string): Promise<number | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(join(directory, file), 'utf8'))).at
  } catch {
    return undefined
  }
}
