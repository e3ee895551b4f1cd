import { Fault } from '../../fault.ts'
import { LinkedList } from '../../linked-list.ts'
import { type Frame, type FrameProcess, frameBytes, frameLimitBytes, type KeeperOperation } from '../protocol/frame.ts'
import { fieldsOf, HostLane, type Request } from './host-lane.ts'
import { RequestTable } from './request-table.ts'
import { slowTurnOf } from './slow-requests.ts'

export interface RouterOptions<O extends string> {
  /** The code of an operation is its index in this list. */
  readonly operations: readonly O[]
  /** The kind of process at the sockets, for messages. */
  readonly peer: FrameProcess
  /** Unix sockets of the token hosts (`hsm.sockets`), in the same order for all clients; or that of the keeper. */
  readonly sockets: readonly string[]
  /** Time for a request in all, including a second attempt on another host. */
  readonly deadlineMs: number
  /** Most requests under way at once (`hsm.queue`). */
  readonly queue: number
  /** Called after each request, with its fault where it failed. */
  readonly ended?: (operation: O, milliseconds: number, fault: unknown) => void
  /** Called whenever an established connection is lost. */
  readonly lost?: () => void
}

/** A request that is lost with its host is tried only once more, because it may be what ends the hosts. */
const mostTries = 2
/** How long requests wait for any host to come back, counted from the loss of the last one. */
const patienceMs = 3_000
const sweepIntervalMs = 250

/**
 * Operations that change the objects in the token. Every client sends them to the same host while it answers well:
 * SoftHSM2 never sees an object that another process made while it made one itself.
 */
const changes: ReadonlySet<string> = new Set(['createTokenObject', 'destroyObject'])

/**
 * Distributes requests over the token hosts, to the least loaded one first. Small loads on quick hosts go to the first
 * host, the same for every client: an awake host serves one more request for less than it costs to wake another. Slow
 * requests and changes of the token begin at the other end of the list, away from the others. A request that is lost
 * with its connection, or that a host cannot serve now, goes to another host: every operation is safe to repeat.
 */
export class RequestRouter<O extends string> {
  readonly peer: FrameProcess
  readonly #options: RouterOptions<O>
  readonly #hosts: readonly HostLane[]
  /** The hosts in reverse order. */
  readonly #reversedHosts: readonly HostLane[]
  /** All unanswered requests in the order of arrival, which is that of their deadlines. */
  readonly #requests: RequestTable
  /** Requests that could not be sent: no host is up, or each has a large or slow request already. */
  readonly #waiting = new LinkedList<Request>()
  #lastUpMs = performance.now()
  #sweeper: NodeJS.Timeout | undefined

  constructor(options: RouterOptions<O>) {
    this.peer = options.peer
    this.#options = options
    this.#requests = new RequestTable(options.queue)
    const events = {
      up: () => this.#dispatchWaiting(),
      down: (host: HostLane, wasUp: boolean) => this.#abandon(host, wasUp),
      reply: (host: HostLane, frame: Frame) => this.#settle(host, frame),
    }
    this.#hosts = options.sockets.map((path) => new HostLane(this.peer, path, events))
    this.#reversedHosts = this.#hosts.toReversed()
  }

  /** The fields of the reply of any host. Rejects with the Fault of the host or with `hsm.unavailable`. */
  call(operation: O, fields: readonly Uint8Array[]): Promise<readonly Buffer[]> {
    return this.#submit(operation, fields, undefined)
  }

  /** The fields of the reply of this host, without a second attempt: for questions about the host itself. */
  callHost(socket: string, operation: O): Promise<readonly Buffer[]> {
    const host = this.#hosts.find(({ connection }) => connection.socket === socket)
    return this.#submit(operation, [], host)
  }

  /** Number of unanswered requests. */
  get underWay(): number {
    return this.#requests.size
  }

  /** Whether at least one host is connected. */
  isUp(): boolean {
    return this.#hosts.some(({ connection }) => connection.isUp())
  }

  close(): void {
    clearTimeout(this.#sweeper)
    for (const request of this.#requests) {
      // Otherwise the request would be sent again when the connection ends.
      request.tried.at(-1)?.release(request)
      this.#fail(request, `The connection to the ${this.peer} is closed.`)
    }
    for (const { connection } of this.#hosts) connection.close()
  }

  #submit(operation: O, fields: readonly Uint8Array[], only: HostLane | undefined): Promise<readonly Buffer[]> {
    const { queue, deadlineMs } = this.#options
    if (this.#requests.size >= queue) {
      const fault = unavailable('More operations wait for the token than hsm.queue allows.')
      this.#options.ended?.(operation, 0, fault)
      return Promise.reject(fault)
    }
    const bytes = frameBytes(fields)
    if (bytes > frameLimitBytes)
      return Promise.reject(new Fault('request.too_large', `More than ${frameLimitBytes} bytes at once.`))
    return new Promise((resolve, reject) => {
      const request: Request = {
        id: this.#requests.freeId(),
        code: this.#options.operations.indexOf(operation),
        fields,
        bytes,
        expiresMs: performance.now() + deadlineMs,
        only,
        changesToken: changes.has(operation),
        slow: slowTurnOf(operation, fields),
        resolve,
        reject,
        tried: [],
        sentAt: 0,
        flight: undefined,
        wait: undefined,
      }
      this.#requests.add(request)
      this.#dispatch(request)
      this.#sweeper ??= this.#sweepSoon()
    })
  }

  #dispatch(request: Request): void {
    const best = request.changesToken ? this.#bestToChange(request) : this.#best(this.#hostsFor(request), request)
    if (best !== undefined) {
      this.#endWait(request)
      best.send(request)
    } else if (this.#isHopeless(request)) this.#fail(request, `No ${this.peer} answers (${this.#reasons(request)}).`)
    else request.wait ??= this.#waiting.append(request)
  }

  #endWait(request: Request): void {
    this.#waiting.remove(request.wait)
    request.wait = undefined
  }

  /**
   * The hosts for a request. Slow requests go to one half of the hosts, the same for every client, so that the other
   * half is free for other requests.
   */
  #hostsFor({ slow, only }: Request): readonly HostLane[] {
    if (slow === undefined || only !== undefined) return this.#hosts
    const up = this.#reversedHosts.filter(({ connection }) => connection.isUp())
    return up.slice(0, Math.max(1, Math.floor(up.length / 2)))
  }

  #best(hosts: readonly HostLane[], request: Request): HostLane | undefined {
    let best: HostLane | undefined
    for (const host of hosts) {
      if (host.takes(request) && (best === undefined || host.load(request) < best.load(request))) best = host
    }
    return best
  }

  /**
   * The host for a change of the token. Undefined until every host is connected or has failed: the last one in the list
   * may not be the first to connect.
   */
  #bestToChange(request: Request): HostLane | undefined {
    return this.#reversedHosts.some((host) => !host.connection.isUp() && !hasFailed(host))
      ? undefined
      : this.#best(this.#reversedHosts, request)
  }

  #dispatchWaiting(): void {
    for (const request of this.#waiting) this.#dispatch(request)
  }

  #isHopeless({ only }: Request): boolean {
    if (only !== undefined) return hasFailed(only)
    return this.#hosts.every(hasFailed) && performance.now() - this.#lastUpMs > patienceMs
  }

  #reasons({ only }: Request): string {
    const asked = only === undefined ? this.#hosts : [only]
    return asked
      .map(({ connection }) => `${connection.socket}: ${connection.reason() ?? 'still connecting'}`)
      .join('; ')
  }

  #settle(host: HostLane, reply: Frame): void {
    const request = this.#requests.get(reply.id)
    if (request === undefined || !host.release(request)) return
    this.#letOthersPass(request)
    try {
      const fields = fieldsOf(reply)
      host.isDoubtful = false
      this.#end(request)
      request.resolve(fields)
    } catch (error) {
      host.isDoubtful = error instanceof Fault && (error.code === 'hsm.unavailable' || error.code === 'hsm.sealed')
      if (host.isDoubtful && this.#mayTryElsewhere(request)) this.#dispatch(request)
      else this.#fail(request, error)
    }
    if (this.#waiting.size > 0) this.#dispatchWaiting()
  }

  /**
   * Lets users take turns, and the keys of each user. After an answer, the waiting requests of its user go behind all
   * others, and those for the same key behind the user's other ones.
   */
  #letOthersPass({ slow }: Request): void {
    if (slow === undefined) return
    const ofUser = [...this.#waiting].filter((waiting) => waiting.slow?.user === slow.user)
    const isSameKey = (waiting: Request): number => Number(waiting.slow?.key === slow.key)
    for (const { wait } of ofUser.toSorted((a, b) => isSameKey(a) - isSameKey(b))) this.#waiting.moveToEnd(wait)
  }

  #mayTryElsewhere({ only, tried }: Request): boolean {
    if (only !== undefined || tried.length >= mostTries) return false
    return this.#hosts.some((host) => host.connection.isUp() && !tried.includes(host))
  }

  #abandon(host: HostLane, wasUp: boolean): void {
    if (wasUp) {
      this.#lastUpMs = performance.now()
      this.#options.lost?.()
    }
    for (const request of host.releaseAll()) {
      if (request.only === undefined && request.tried.length < mostTries) this.#dispatch(request)
      else this.#fail(request, `The ${this.peer} ended while it worked on this.`)
    }
    this.#dispatchWaiting()
  }

  /** Not by the timer itself: a process that stood still first reads the replies that have come in time. */
  #sweepSoon(): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#sweep()), sweepIntervalMs)
  }

  #sweep(): void {
    const nowMs = performance.now()
    for (const request of this.#requests) {
      if (request.expiresMs > nowMs) break
      const host = request.tried.at(-1)
      if (host?.release(request) === true) host.isDoubtful = true
      this.#fail(request, 'The token did not answer within hsm.deadlineMs.')
    }
    this.#dispatchWaiting()
    this.#sweeper = this.#requests.size > 0 ? this.#sweepSoon() : undefined
  }

  #fail(request: Request, reason: unknown): void {
    const fault = typeof reason === 'string' ? unavailable(reason) : reason
    this.#end(request, fault)
    this.#endWait(request)
    request.reject(fault)
  }

  #end({ id, code, expiresMs }: Request, fault?: unknown): void {
    this.#requests.remove(id)
    const { ended, operations, deadlineMs } = this.#options
    const operation = operations[code]
    if (ended && operation !== undefined) ended(operation, performance.now() - expiresMs + deadlineMs, fault)
  }
}

/** Requests to the keeper. */
export type Keeper = Pick<RequestRouter<KeeperOperation>, 'call'>

/** A process that stood still finds its time over before its first attempt to connect was: that host has not failed. */
function hasFailed({ connection }: HostLane): boolean {
  return !connection.isUp() && connection.reason() !== undefined
}

function unavailable(detail: string): Fault {
  return new Fault('hsm.unavailable', detail)
}
