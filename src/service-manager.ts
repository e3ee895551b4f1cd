import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Reports the state of a service to systemd, in assignments of sd_notify(3), for example `READY=1`. */
export type Notify = (...state: readonly string[]) => Promise<void>

/** The journal of any process. */
interface Report {
  warn(fields: Readonly<Record<string, unknown>>, sentence: string): void
}

const run = promisify(execFile)

/**
 * Runs `systemd-notify` for each report, because Node cannot write to a unix datagram socket. Sends nothing unless
 * `enabled`, that is, without a service manager.
 */
export function createNotify(enabled: boolean, log: Report): Notify {
  let last = Promise.resolve()
  const send = async (state: readonly string[]): Promise<void> => {
    try {
      await run('systemd-notify', state)
    } catch (error) {
      log.warn({ err: error }, 'systemd-notify failed, so systemd may take this process for dead')
    }
  }
  return (...state) => {
    // In sequence: READY=1 must not overtake the RELOADING=1 that it ends.
    if (enabled) last = last.then(() => send(state))
    return last
  }
}
