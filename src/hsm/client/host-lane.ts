import { type Socket, connect } from 'node:net'
import { Fault, type FaultCode, faultCodes } from '../../fault.ts'
import { LinkedList, type ListItem } from '../../linked-list.ts'
import {
  createFrameReader,
  createFrameWriter,
  type Frame,
  type FrameProcess,
  type FrameWriter,
  largePayloadBytes,
  outcomes,
} from '../protocol/frame.ts'
import type { SlowTurn } from './slow-requests.ts'

export interface Request {
  readonly id: number
  readonly code: number
  readonly fields: readonly Uint8Array[]
  readonly bytes: number
  /** End of its deadline, on the clock of `performance.now()`. */
  readonly expiresMs: number
  /** The one host that may answer; undefined when any may. */
  readonly only: HostLane | undefined
  /** Whether it makes or destroys objects in the token. */
  readonly changesToken: boolean
  /** Set for a request that occupies a host for long. */
  readonly slow: SlowTurn | undefined
  readonly resolve: (fields: readonly Buffer[]) => void
  readonly reject: (fault: unknown) => void
  /** The hosts to which it was sent. */
  readonly tried: HostLane[]
  /** Time when it was last sent, on the clock of `waitedMs`. */
  sentAt: number
  /** Its item in the list of requests in flight on the present host. */
  flight: ListItem<Request> | undefined
  /** Its item in the list of requests that wait for a host. */
  wait: ListItem<Request> | undefined
}

export interface HostLaneEvents {
  up(): void
  down(host: HostLane, wasUp: boolean): void
  reply(host: HostLane, frame: Frame): void
}

// Load that puts a host behind every host that answers well, whatever their load.
const setbackBytes = 2 ** 40

// Waking a second host for half of a small batch costs more processor time than a quick host needs for all of it.
const quickMs = 4
const batchBytes = 16 * 1024

/**
 * How long this process has been idle since its start, in milliseconds. The time of its own work says nothing about a
 * host: under load an answer waits a while before it is read.
 */
const waitedMs = (): number => performance.eventLoopUtilization().idle

/** A token host or the keeper, as the router uses it: its connection, and the requests in flight on it. */
export class HostLane {
  readonly connection: HostConnection
  readonly #inFlight = new LinkedList<Request>()
  #outstandingBytes = 0
  #hasLarge = false
  #hasSlow = false
  #lastAnswerMs = 0
  /** The host missed a deadline or reported that it cannot work. Others are preferred until it answers well again. */
  isDoubtful = false

  constructor(peer: FrameProcess, path: string, events: HostLaneEvents) {
    this.connection = connectHost(peer, path, {
      up: () => events.up(),
      down: (wasUp) => events.down(this, wasUp),
      reply: (frame) => events.reply(this, frame),
    })
  }

  /**
   * Whether this host can be sent the request. It gets one large and one slow request at a time, because later ones
   * would wait for them.
   */
  takes(request: Request): boolean {
    const waits = (isLarge(request) && this.#hasLarge) || (request.slow !== undefined && this.#hasSlow)
    return this.connection.isUp() && (request.only ?? this) === this && !waits
  }

  /** The load of this host for the choice of a host for the request: the lowest is the best. */
  load(request: Request): number {
    const load = request.changesToken ? 0 : this.#ownLoad()
    return load + (this.isDoubtful ? setbackBytes : 0) + (request.tried.includes(this) ? 2 * setbackBytes : 0)
  }

  /** A quick host with little to do counts as idle. */
  #ownLoad(): number {
    return this.#outstandingBytes < batchBytes && this.#isQuick() ? 0 : this.#outstandingBytes
  }

  #isQuick(): boolean {
    const oldest = this.#inFlight.first?.value
    const oldestMs = oldest === undefined ? 0 : waitedMs() - oldest.sentAt
    return Math.max(oldestMs, this.#lastAnswerMs) < quickMs
  }

  send(request: Request): void {
    request.tried.push(this)
    request.sentAt = waitedMs()
    request.flight = this.#inFlight.append(request)
    this.#outstandingBytes += request.bytes
    if (isLarge(request)) this.#hasLarge = true
    if (request.slow !== undefined) this.#hasSlow = true
    this.connection.write(request.id, request.code, request.fields)
  }

  /** False when the request is not in flight here. */
  release(request: Request): boolean {
    if (!this.#inFlight.remove(request.flight)) return false
    this.#lastAnswerMs = waitedMs() - request.sentAt
    this.#outstandingBytes -= request.bytes
    if (isLarge(request)) this.#hasLarge = false
    if (request.slow !== undefined) this.#hasSlow = false
    return true
  }

  releaseAll(): Request[] {
    const lost = [...this.#inFlight]
    for (const request of lost) this.release(request)
    return lost
  }
}

function isLarge(request: Request): boolean {
  return request.bytes > largePayloadBytes
}

interface HostConnectionEvents {
  /** The host is connected and can be sent frames. */
  up(): void
  /**
   * The connection, or an attempt to make one, has ended, and every request sent over it is lost. Another attempt
   * follows by itself.
   */
  down(wasUp: boolean): void
  reply(frame: Frame): void
}

/** A connection to such a process, which is made again whenever it ends, until `close`. */
interface HostConnection {
  readonly socket: string
  isUp(): boolean
  /** Why the last attempt to connect failed. */
  reason(): string | undefined
  write: FrameWriter['write']
  close(): void
}

const firstPauseMs = 50
/** Short, because calls wait for a restarted host, and at the start each program waits for the one before. */
const longestPauseMs = 200

function connectHost(peer: FrameProcess, path: string, events: HostConnectionEvents): HostConnection {
  let socket: Socket | undefined
  let writer: FrameWriter | undefined
  let pauseMs = firstPauseMs
  let timer: NodeJS.Timeout | undefined
  let reason: string | undefined
  let isClosed = false

  const open = () => {
    const opened = (socket = connect(path))
    const read = createFrameReader((frame) => events.reply(frame))
    opened.once('connect', () => {
      pauseMs = firstPauseMs
      reason = undefined
      writer = createFrameWriter(opened)
      events.up()
    })
    opened.on('data', (chunk) => {
      try {
        read(chunk)
      } catch (error) {
        opened.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    })
    opened.once('error', (error) => (reason = error.message))
    opened.once('close', () => {
      const wasUp = writer !== undefined
      writer = undefined
      reason ??= `The ${peer} closed the connection.`
      events.down(wasUp)
      if (isClosed) return
      timer = setTimeout(open, pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    })
  }

  open()
  return {
    socket: path,
    isUp: () => writer !== undefined,
    reason: () => reason,
    write(id, code, fields) {
      writer?.write(id, code, fields)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      socket?.destroy()
    },
  }
}

/** The fields of a reply. Throws the Fault that the host answered with. */
export function fieldsOf(reply: Frame): readonly Buffer[] {
  if (reply.code === outcomes.done) return reply.fields
  const [code, detail = '', patience = ''] = reply.fields.map(String)
  const known = faultCodes.find((candidate): candidate is FaultCode => candidate === code)
  throw new Fault(known ?? 'internal', detail || undefined, patience === '' ? {} : { retryAfterMs: Number(patience) })
}
