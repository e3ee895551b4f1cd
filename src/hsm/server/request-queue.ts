import { largePayloadBytes } from '../protocol/frame.ts'

export interface QueuedRequest {
  readonly bytes: number
  readonly arrivedMs: number
  /** Does it; what comes back hands out the answer. */
  run(): Answer
  /** The caller has given it up by now. */
  expire(): void
}

/** `lost`: why what was done did not last, if it did not. */
export type Answer = (lost?: unknown) => void

export interface RequestQueue {
  /** False when the queue is full; the request is not kept then. */
  add(request: QueuedRequest): boolean
  /** Whether nothing waits. */
  isIdle(): boolean
}

export interface RequestQueueOptions {
  /** Most requests that wait (`hsm.queue`). */
  readonly limit: number
  /** Most bytes that wait. */
  readonly limitBytes: number
  /** Age at which a request is not begun any more (`hsm.deadlineMs`). */
  readonly deadlineMs: number
  /** Has the requests of one slice done; what they leave on the disk lasts when it returns, and not if it throws. */
  readonly together?: (requests: () => void) => void
}

/** How long requests may hold the event loop before heartbeats and new requests get their turn. */
const sliceMs = 5

const alone = (requests: () => void): void => requests()

/**
 * Requests one at a time, small ones first, in slices: after each slice at most one large request, which so neither
 * starves nor holds up more than itself.
 */
export function createRequestQueue({
  limit,
  limitBytes,
  deadlineMs,
  together = alone,
}: RequestQueueOptions): RequestQueue {
  const small: QueuedRequest[] = []
  const large: QueuedRequest[] = []
  let waitingBytes = 0
  let isScheduled = false

  const runNext = (lane: QueuedRequest[], answers: Answer[]) => {
    const request = lane.shift()
    if (request === undefined) return
    waitingBytes -= request.bytes
    if (performance.now() - request.arrivedMs > deadlineMs) request.expire()
    else answers.push(request.run())
  }

  const giveUp = () => {
    waitingBytes = 0
    for (const request of [...small.splice(0), ...large.splice(0)]) request.expire()
  }

  const slice = () => {
    const endMs = performance.now() + sliceMs
    const answers: Answer[] = []
    const isAlone = small.length + large.length === 1
    let lost: unknown
    try {
      // One by itself does what it must: to begin and end a transaction around it would gain nothing.
      ;(isAlone ? alone : together)(() => {
        while (small.length > 0 && performance.now() < endMs) runNext(small, answers)
        runNext(large, answers)
      })
    } catch (error) {
      lost = error
      // Where not even the first was begun, what waits would be tried again and again.
      if (answers.length === 0) giveUp()
    }
    for (const answer of answers) answer(lost)
    isScheduled = small.length + large.length > 0
    if (isScheduled) setImmediate(slice)
  }

  return {
    add(request) {
      if (small.length + large.length >= limit || waitingBytes + request.bytes > limitBytes) return false
      waitingBytes += request.bytes
      const lane = request.bytes > largePayloadBytes ? large : small
      lane.push(request)
      if (!isScheduled) setImmediate(slice)
      isScheduled = true
      return true
    },
    isIdle: () => small.length + large.length === 0,
  }
}
