import type { ChildProcess, Serializable } from 'node:child_process'
import type { Worker } from 'node:cluster'
import { type AcceptedConnection, onceClosed } from './accepted-connection.ts'
import type { FromWorker } from './worker-process.ts'

/** Connections that the primary has accepted and no worker has claimed yet, each with the worker it was sent to. */
const unclaimed = new Map<AcceptedConnection, ChildProcess>()
/** Workers that may still claim a connection. */
const accepting = new Set<ChildProcess>()
/** Number of workers that accepted connections and have ended or are to end, and whose successors do not accept yet. */
let awaited = 0

/** Pings that a worker without connections waits for the successor of another one: a minute. */
const mostWaits = 12

/** The connections that were sent to one worker. */
export interface SentConnections {
  /** To be called before each ping of the worker. */
  beforePing(): void
  /**
   * To be called with each answer to a ping, in turn. Closes connections that were sent before that ping and that the
   * worker has not claimed: it never got them, as when it may open no more files. node:cluster then waits for its answer
   * and sends it no others. So the result says whether to replace it now: not before a worker that is being replaced has
   * a successor, without which none would listen. Until then new connections wait. After many pings it is replaced all
   * the same, which closes them: their files may be those that the primary lacks to start the successor.
   */
  closeLost(): boolean
}

/**
 * Closes connections that no worker will serve, so that their clients try again instead of waiting. node:cluster leaves
 * two kinds open: one sent to a worker that dies before it claims it, and one that the last worker refuses after it has
 * closed its listener.
 */
export function closeUnclaimed(worker: Worker): SentConnections {
  const child = worker.process
  const send: (...given: never[]) => boolean = child.send.bind(child)
  child.send = (message: Serializable, ...given: unknown[]) => {
    const [handle] = given
    if (isHandle(handle)) {
      if (!unclaimed.has(handle)) onceClosed(handle, () => unclaimed.delete(handle))
      unclaimed.set(handle, child)
    }
    return Boolean(Reflect.apply(send, undefined, [message, ...given]))
  }
  let isAwaited = false
  const awaitSuccessor = (): void => {
    if (!isAwaited) awaited += 1
    isAwaited = true
  }
  const leave = (dead: boolean): void => {
    if (accepting.delete(child)) awaitSuccessor()
    for (const [handle, holder] of unclaimed) {
      if ((dead && holder === child) || accepting.size === 0) handle.close()
    }
  }
  worker.on('message', ({ type }: FromWorker) => {
    if (type === 'draining') leave(false)
    if (type !== 'listening') return
    accepting.add(child)
    awaited = Math.max(0, awaited - 1)
  })
  child.once('exit', () => leave(true))
  const sentBeforePings: AcceptedConnection[][] = []
  let hasLost = false
  let waits = 0
  return {
    beforePing() {
      sentBeforePings.push([...unclaimed].flatMap(([handle, holder]) => (holder === child ? [handle] : [])))
    },
    closeLost() {
      const sent = sentBeforePings.shift() ?? []
      // A worker that drains gives back what it refuses, and node:cluster may hold that for the next free worker.
      if (!accepting.has(child)) return false
      const lost = sent.filter((handle) => unclaimed.get(handle) === child)
      for (const handle of lost) handle.close()
      hasLost ||= lost.length > 0
      if (!hasLost || isAwaited) return false
      waits += 1
      if (awaited > 0 && waits <= mostWaits) return false
      awaitSuccessor()
      return true
    },
  }
}

function isHandle(value: unknown): value is AcceptedConnection {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
}
