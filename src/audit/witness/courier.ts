import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { readHeads, type ReadPoints } from './head-reader.ts'
import type { SignedHead } from './signed-head.ts'
import { readDeliveryState, writeDeliveryState } from '../delivery-state.ts'

/** A receiver outside the machine that gets the signed heads. */
export interface Witness {
  /** A file in the folder of the trail that records which heads the witness has. */
  readonly stateFile: string
  /** Shown in the journal and by `strongroom doctor`. */
  readonly address: string
  /** Shortest interval between two calls of `send`, in milliseconds. */
  readonly everyMs: number
  /** Resolves once the witness has the heads. Callers must not overlap calls. */
  send(heads: readonly SignedHead[]): Promise<void>
}

export interface CourierOptions {
  readonly directory: string
  readonly witness: Witness
  readonly clock: Clock
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Sends the heads of all chains of a trail to one witness. */
export interface Courier {
  stop(): Promise<void>
}

/** Interval at which the trail is read. */
const lookMs = 1_000
const longestRetryMs = 60_000

/**
 * Starts a courier. It reads the seals from the trail, which serves as a durable queue, so that no call waits. It
 * stores beside the trail which heads the witness has; after a crash a head may be sent twice.
 */
export function startCourier({ directory, witness, clock, log }: CourierOptions): Courier {
  const stopped = new AbortController()
  let points: ReadPoints = {}
  let waiting: SignedHead[] = []
  let failures = 0
  let sentAt = 0

  async function look(): Promise<void> {
    const read = await readHeads(directory, points)
    points = read.points
    waiting.push(...read.heads)
    // Either direction: a clock that was ahead would otherwise silence it until then.
    if (waiting.length === 0 || Math.abs(clock.now() - sentAt) < witness.everyMs) return
    await witness.send(waiting)
    sentAt = clock.now()
    waiting = []
    if (failures > 0) log.info({ witness: witness.address }, 'the audit witness has all signed heads again')
    failures = 0
    await writeDeliveryState(directory, witness, { points, sentAt })
  }

  async function fail(error: unknown): Promise<void> {
    failures += 1
    // Reading again from the stored points limits the number of waiting heads: the last ones cover all before them.
    points = (await readDeliveryState(directory, witness)).points
    waiting = []
    if (failures > 1) return
    log.warn(
      { witness: witness.address, err: error },
      'the audit witness cannot be told of signed heads; calls go on, and it is told later',
    )
    const reason = error instanceof Error ? error.message : String(error)
    await writeDeliveryState(directory, witness, { points, sentAt, failing: { since: clock.now(), reason } })
  }

  async function run(): Promise<void> {
    const state = await readDeliveryState(directory, witness)
    points = state.points
    sentAt = state.sentAt
    while (!stopped.signal.aborted) {
      await look()
        .catch(fail)
        .catch(() => undefined)
      const pauseMs = failures === 0 ? lookMs : Math.min(lookMs * 2 ** failures, longestRetryMs)
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
