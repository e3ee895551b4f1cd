import { type Frame, largePayloadBytes } from '../protocol/frame.ts'
import { type HostConnection, connectHost } from './host-connection.ts'

export interface Request {
  readonly id: number
  readonly code: number
  readonly fields: readonly Uint8Array[]
  readonly bytes: number
  /** On the clock of `performance.now()`. */
  readonly expiresMs: number
  /** The one host that may answer; undefined when any may. */
  readonly only: HostLane | undefined
  /** Whether it makes or destroys objects of the token. */
  readonly changesToken: boolean
  readonly resolve: (fields: readonly Buffer[]) => void
  readonly reject: (fault: unknown) => void
  /** The hosts that were given it. */
  readonly tried: HostLane[]
  /** When the last of them was given it, on the same clock. */
  sentMs: number
}

export interface HostLaneEvents {
  up(): void
  down(host: HostLane, wasUp: boolean): void
  reply(host: HostLane, frame: Frame): void
}

// Puts a host behind every other that is in better standing, whatever the load.
const setbackBytes = 2 ** 40

// To wake a second host for half of a small batch costs the processors more than a quick host needs for all of it.
const quickMs = 1
const batchBytes = 16 * 1024

/** One token host as the router sees it: its connection and what it carries. */
export class HostLane {
  readonly connection: HostConnection
  readonly #carried = new Set<Request>()
  #outstandingBytes = 0
  #hasLarge = false
  #lastAnswerMs = 0
  /** It let a deadline pass or said that it cannot work: others come first until it answers well again. */
  isDoubtful = false

  constructor(path: string, events: HostLaneEvents) {
    this.connection = connectHost(path, {
      up: () => events.up(),
      down: (wasUp) => events.down(this, wasUp),
      reply: (frame) => events.reply(this, frame),
    })
  }

  /** Large requests go one at a time: what comes after them waits for them. */
  takes(request: Request): boolean {
    return this.connection.isUp() && (request.only ?? this) === this && !(isLarge(request) && this.#hasLarge)
  }

  /** The lower, the better a choice for this request. */
  load(request: Request): number {
    const load = request.changesToken ? 0 : this.#load()
    return load + (this.isDoubtful ? setbackBytes : 0) + (request.tried.includes(this) ? 2 * setbackBytes : 0)
  }

  /** A host that is quick and has little to do counts as idle. */
  #load(): number {
    return this.#outstandingBytes < batchBytes && this.#isQuick() ? 0 : this.#outstandingBytes
  }

  #isQuick(): boolean {
    const [oldest] = this.#carried
    const waitedMs = oldest === undefined ? 0 : performance.now() - oldest.sentMs
    return Math.max(waitedMs, this.#lastAnswerMs) < quickMs
  }

  send(request: Request): void {
    request.tried.push(this)
    request.sentMs = performance.now()
    this.#carried.add(request)
    this.#outstandingBytes += request.bytes
    if (isLarge(request)) this.#hasLarge = true
    this.connection.write(request.id, request.code, request.fields)
  }

  /** False when it does not carry it. */
  release(request: Request): boolean {
    if (!this.#carried.delete(request)) return false
    this.#lastAnswerMs = performance.now() - request.sentMs
    this.#outstandingBytes -= request.bytes
    if (isLarge(request)) this.#hasLarge = false
    return true
  }

  releaseAll(): Request[] {
    const lost = [...this.#carried]
    for (const request of lost) this.release(request)
    return lost
  }
}

function isLarge(request: Request): boolean {
  return request.bytes > largePayloadBytes
}
