import { largestOf } from '../../largest.ts'
import { largePayloadBytes } from '../protocol/frame.ts'
import { RequestLane } from './request-lane.ts'

export interface QueuedRequest {
  /** The connection that it came over: a worker has one. */
  readonly from: object
  readonly bytes: number
  readonly arrivedMs: number
  /** Performs the request. The returned function sends the reply. */
  run(): SendReply
  /** Answers that it is not performed, and why. */
  refuse(detail: string): void
}

/** Sends the reply. `lost`: why the result is not durable, where it is not. */
export type SendReply = (lost?: unknown) => void

export interface RequestQueue {
  /**
   * Queues the request. Where there are too many requests, or bytes, the last request of the sender with most of them is
   * refused, which may be this one.
   */
  add(request: QueuedRequest): void
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

const tooLate = 'The token took longer than hsm.deadlineMs.'
const full = 'More operations wait than hsm.queue allows.'

const alone = (requests: () => void): void => requests()

/**
 * Performs requests one at a time, small ones first, in slices. After each slice at most one large request follows,
 * which therefore neither starves nor delays more than one slice. Senders take turns and share the room, so that a busy
 * worker neither delays nor shuts out the others.
 */
export function createRequestQueue(options: RequestQueueOptions): RequestQueue {
  const { deadlineMs, together = alone } = options
  const small = new RequestLane<QueuedRequest>()
  const large = new RequestLane<QueuedRequest>()
  const laneOf = ({ bytes }: QueuedRequest) => (bytes > largePayloadBytes ? large : small)
  const room = createRoom(options)
  let isScheduled = false

  const runNext = (lane: RequestLane<QueuedRequest>, replies: SendReply[]) => {
    const request = lane.next()
    if (request === undefined) return
    room.leave(request)
    if (performance.now() - request.arrivedMs > deadlineMs) request.refuse(tooLate)
    else replies.push(request.run())
  }

  const giveUp = () => {
    for (const lane of [small, large])
      for (let request = lane.next(); request !== undefined; request = lane.next()) {
        room.leave(request)
        request.refuse(tooLate)
      }
  }

  const slice = () => {
    const endMs = performance.now() + sliceMs
    const replies: SendReply[] = []
    const isAlone = small.size + large.size === 1
    let lost: unknown
    try {
      // A single request commits by itself: a transaction around it would gain nothing.
      ;(isAlone ? alone : together)(() => {
        while (small.size > 0 && performance.now() < endMs) runNext(small, replies)
        runNext(large, replies)
      })
    } catch (error) {
      lost = error
      // Where not even the first request was started, the waiting ones would be tried for ever.
      if (replies.length === 0) giveUp()
    }
    for (const send of replies) send(lost)
    isScheduled = small.size + large.size > 0
    if (isScheduled) setImmediate(slice)
  }

  return {
    add(request) {
      laneOf(request).add(request)
      room.enter(request)
      for (let lacking = room.lacking(); lacking !== undefined; lacking = room.lacking()) {
        const from = room.largestSender(lacking)
        if (from === undefined) break
        const last =
          lacking === 'bytes' ? (large.lastOf(from) ?? small.lastOf(from)) : (small.lastOf(from) ?? large.lastOf(from))
        if (last === undefined) break
        room.leave(last)
        last.refuse(full)
      }
      if (!isScheduled) setImmediate(slice)
      isScheduled = true
    },
    isIdle: () => small.size + large.size === 0,
  }
}

interface Share {
  requests: number
  bytes: number
}

/** The room of the queue, and how much of it the requests of each sender take. */
function createRoom({ limit, limitBytes }: Pick<RequestQueueOptions, 'limit' | 'limitBytes'>) {
  const shares = new Map<object, Share>()
  let [requests, bytes] = [0, 0]
  const change = (request: QueuedRequest, by: 1 | -1) => {
    const share = shares.get(request.from) ?? { requests: 0, bytes: 0 }
    share.requests += by
    share.bytes += by * request.bytes
    requests += by
    bytes += by * request.bytes
    if (share.requests === 0) shares.delete(request.from)
    else shares.set(request.from, share)
  }
  return {
    enter: (request: QueuedRequest) => change(request, 1),
    leave: (request: QueuedRequest) => change(request, -1),
    /** What the requests take too much of; undefined where all have room. */
    lacking(): keyof Share | undefined {
      if (bytes > limitBytes) return 'bytes'
      return requests > limit ? 'requests' : undefined
    },
    largestSender: (by: keyof Share): object | undefined => largestOf(shares, ([, share]) => share[by])?.[0],
  }
}
