import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Tells systemd the state of a service in the words of sd_notify(3), for example `READY=1`. */
export type Notify = (...state: readonly string[]) => Promise<void>

/** A journal, of whichever process. */
interface Report {
  warn(fields: Readonly<Record<string, unknown>>, sentence: string): void
}

const run = promisify(execFile)

/**
 * Node cannot write to a unix datagram socket, so `systemd-notify` does, in a process of its own for a moment; without a
 * service manager nothing is sent.
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
    // One after another: READY=1 must not overtake the RELOADING=1 that it ends.
    if (enabled) last = last.then(() => send(state))
    return last
  }
}
