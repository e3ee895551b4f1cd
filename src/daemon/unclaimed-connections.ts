import type { ChildProcess, Serializable } from 'node:child_process'
import type { Worker } from 'node:cluster'
import type { FromWorker } from './worker-process.ts'

/** Connections that the primary has accepted and no worker has claimed yet, each with the worker it was sent to. */
const unclaimed = new Map<Handle, ChildProcess>()
/** Workers that may still claim a connection. */
const accepting = new Set<ChildProcess>()

interface Handle {
  close(...then: unknown[]): void
}

/**
 * Closes connections that no worker will serve, so that their clients try again instead of waiting. node:cluster leaves
 * two kinds open: one sent to a worker that dies before it claims it, and one that the last worker refuses after it has
 * closed its listener.
 */
export function closeUnclaimed(worker: Worker): void {
  const child = worker.process
  accepting.add(child)
  const send: (...given: never[]) => boolean = child.send.bind(child)
  child.send = (message: Serializable, ...given: unknown[]) => {
    const [handle] = given
    if (isHandle(handle)) {
      if (!unclaimed.has(handle)) forgetWhenClosed(handle)
      unclaimed.set(handle, child)
    }
    return Boolean(Reflect.apply(send, undefined, [message, ...given]))
  }
  const leave = (dead: boolean): void => {
    accepting.delete(child)
    for (const [handle, holder] of unclaimed) {
      if ((dead && holder === child) || accepting.size === 0) handle.close()
    }
  }
  worker.on('message', ({ type }: FromWorker) => type === 'draining' && leave(false))
  child.once('exit', () => leave(true))
}

function forgetWhenClosed(handle: Handle): void {
  const close = handle.close.bind(handle)
  handle.close = (...then: unknown[]) => {
    unclaimed.delete(handle)
    close(...then)
  }
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
}
