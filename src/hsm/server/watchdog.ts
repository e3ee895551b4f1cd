import { readEnvironment } from '../../config/environment.ts'
import { createNotify } from '../../service-manager.ts'
import type { Journal } from './journal.ts'

/**
 * Reports this process alive to systemd when it is called, in time for the unit's `WatchdogSec=` and no oftener.
 * `patience`: it may be silent for so many times what the unit says.
 */
export function createWatchdog(log: Journal, patience = 1): () => void {
  const { notify, watchdogMs } = readEnvironment()
  if (!notify || watchdogMs === undefined) return () => undefined
  const tell = createNotify(true, log)
  if (patience > 1) void tell(`WATCHDOG_USEC=${watchdogMs * 1_000 * patience}`)
  // The tries of the token come up to five seconds apart: half of the time that there is would leave too little room.
  const everyMs = (watchdogMs * patience) / 4
  let due = 0
  return () => {
    const now = performance.now()
    if (now < due) return
    due = now + everyMs
    void tell('WATCHDOG=1')
  }
}
