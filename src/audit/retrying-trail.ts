import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditTrail } from './event.ts'

/** How long to wait before the trail is tried again, in milliseconds. */
const retryMs = 2_000

/**
 * A trail that opens as soon as it can: the appliance starts while its token or its disk is not there yet, and until
 * then refuses every call with the fault that says why.
 */
export function createRetryingTrail(open: () => Promise<AuditTrail>, report: (error: unknown) => void): AuditTrail {
  const stopped = new AbortController()
  let trail: AuditTrail | undefined
  let fault: unknown
  const opening = keepTrying()

  async function keepTrying(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        trail = await open()
        return
      } catch (error) {
        if (String(error) !== String(fault)) report(error)
        fault = error
        await sleep(retryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      }
    }
  }

  return {
    async append(event) {
      // The first attempt is waited for, so that a call right after the start is not refused for nothing.
      if (trail === undefined && fault === undefined) await Promise.race([opening, sleep(retryMs)])
      if (trail === undefined) throw fault
      await trail.append(event)
    },
    async close() {
      stopped.abort()
      await opening
      await trail?.close()
    },
  }
}
