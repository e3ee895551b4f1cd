import { largePayloadBytes } from '../protocol/frame.ts'

export interface QueuedRequest {
  readonly bytes: number
  readonly arrivedMs: number
  run(): void
  /** The caller has given it up by now. */
  expire(): void
}

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
}

/** How long requests may hold the event loop before heartbeats and new requests get their turn. */
const sliceMs = 5

/**
 * Requests one at a time, small ones first, in slices: after each slice at most one large request, which so neither
 * starves nor holds up more than itself.
 */
export function createRequestQueue({ limit, limitBytes, deadlineMs }: RequestQueueOptions): RequestQueue {
  const small: QueuedRequest[] = []
  const large: QueuedRequest[] = []
  let waitingBytes = 0
  let isScheduled = false

  const runNext = (lane: QueuedRequest[]) => {
    const request = lane.shift()
    if (request === undefined) return
    waitingBytes -= request.bytes
    if (performance.now() - request.arrivedMs > deadlineMs) request.expire()
    else request.run()
  }

  const slice = () => {
    const endMs = performance.now() + sliceMs
    while (small.length > 0 && performance.now() < endMs) runNext(small)
    runNext(large)
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
