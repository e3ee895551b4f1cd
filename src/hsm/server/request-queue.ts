import { largePayloadBytes } from '../protocol/frame.ts'

export interface QueuedRequest {
  readonly bytes: number
  readonly arrivedMs: number
  /** Performs the request. The returned function sends the reply. */
  run(): SendReply
  /** Refuses a request that its caller has given up by now. */
  expire(): void
}

/** Sends the reply. `lost`: why the result is not durable, where it is not. */
export type SendReply = (lost?: unknown) => void

export interface RequestQueue {
  /** Queues the request. False when the queue is full. */
  add(request: QueuedRequest): boolean
  /** Whether no request waits. */
  isIdle(): boolean
}

export interface RequestQueueOptions {
  /** Most waiting requests (`hsm.queue`). */
  readonly limit: number
  /** Most bytes of waiting requests. */
  readonly limitBytes: number
  /** Age after which a request is not started (`hsm.deadlineMs`). */
  readonly deadlineMs: number
  /** Performs the requests of one slice. Their writes are durable when it returns, and are not when it throws. */
  readonly together?: (requests: () => void) => void
}

/** How long requests may occupy the event loop before heartbeats and new requests have their turn. */
const sliceMs = 5

const alone = (requests: () => void): void => requests()

/**
 * Performs requests one at a time, small ones first, in slices. After each slice at most one large request follows,
 * which therefore neither starves nor delays more than one slice.
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

  const runNext = (lane: QueuedRequest[], replies: SendReply[]) => {
    const request = lane.shift()
    if (request === undefined) return
    waitingBytes -= request.bytes
    if (performance.now() - request.arrivedMs > deadlineMs) request.expire()
    else replies.push(request.run())
  }

  const giveUp = () => {
    waitingBytes = 0
    for (const request of [...small.splice(0), ...large.splice(0)]) request.expire()
  }

  const slice = () => {
    const endMs = performance.now() + sliceMs
    const replies: SendReply[] = []
    const isAlone = small.length + large.length === 1
    let lost: unknown
    try {
      // A single request commits by itself: a transaction around it would gain nothing.
      ;(isAlone ? alone : together)(() => {
        while (small.length > 0 && performance.now() < endMs) runNext(small, replies)
        runNext(large, replies)
      })
    } catch (error) {
      lost = error
      // Where not even the first request was started, the waiting ones would be tried for ever.
      if (replies.length === 0) giveUp()
    }
    for (const send of replies) send(lost)
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
