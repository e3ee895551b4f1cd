import { readEnvironment } from '../../config/environment.ts'
import { createNotify } from '../../service-manager.ts'
import type { Journal } from './journal.ts'

/**
 * Returns a function that reports to systemd that this process works. However often it is called, it reports only as
 * often as `WatchdogSec=` of the unit needs. `patience`: factor for the time of the unit.
 */
export function createWatchdog(log: Journal, patience = 1): () => void {
  const { notify, watchdogMs } = readEnvironment()
  if (!notify || watchdogMs === undefined) return () => undefined
  const tell = createNotify(true, log)
  if (patience > 1) void tell(`WATCHDOG_USEC=${watchdogMs * 1_000 * patience}`)
  // Attempts to open the token are up to five seconds apart, so that half of the time would leave too little margin.
  const everyMs = (watchdogMs * patience) / 4
  let due = 0
  return () => {
    const now = performance.now()
    if (now < due) return
    due = now + everyMs
    void tell('WATCHDOG=1')
  }
}
