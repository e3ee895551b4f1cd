import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { dayMs } from '../monitor/judgement.ts'
import type { StandingWarning } from '../monitor/standing-warning.ts'

export interface WarningsOptions {
  /** All conditions that an operator should attend to now. */
  readonly look: () => Promise<readonly StandingWarning[]>
  readonly everyMs: number
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'info' | 'error'>
}

/** Writes the warnings of the daemon to its journal. */
export interface Warnings {
  /** Checks at once, and then periodically. */
  start(): void
  /** The warnings of the last check. */
  standing(): readonly StandingWarning[]
  stop(): void
}

/** Writes a warning when it begins, when its severity changes, once a day while it lasts, and when it is over. */
export function createWarnings({ look, everyMs, clock, log }: WarningsOptions): Warnings {
  const told = new Map<string, { readonly state: StandingWarning['state']; readonly at: number }>()
  let standing: readonly StandingWarning[] = []
  let isStopped = false
  let timer: NodeJS.Timeout | undefined

  function tell(warnings: readonly StandingWarning[]): void {
    const now = clock.now()
    for (const { name, state, detail, remedy } of warnings) {
      const last = told.get(name)
      // Either direction, since a clock that was set back would otherwise silence it.
      if (last?.state === state && Math.abs(now - last.at) < dayMs) continue
      told.set(name, { state, at: now })
      log.warn({ warning: name, state }, `${detail}. ${remedy}`)
    }
    for (const name of told.keys()) {
      if (warnings.some((warning) => warning.name === name)) continue
      told.delete(name)
      log.info({ warning: name }, 'the warning is over')
    }
    standing = warnings
  }

  async function round(): Promise<void> {
    try {
      const warnings = await look()
      if (!isStopped) tell(warnings)
    } catch (error) {
      log.error({ err: error }, 'the conditions of the warnings could not be checked; they are checked again')
    }
    if (!isStopped) timer = setTimeout(() => void round(), everyMs).unref()
  }

  return {
    start: () => void round(),
    standing: () => standing,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
