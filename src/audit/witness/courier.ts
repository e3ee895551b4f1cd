import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { readHeads, type ReadPoints } from './head-reader.ts'
import type { SignedHead } from './signed-head.ts'
import { readWitnessState, writeWitnessState } from './witness-state.ts'

/** A receiver outside the machine that is told the signed heads. */
export interface Witness {
  /** Beside the trail: how far the witness has it. */
  readonly stateFile: string
  /** For the journal and for `strongroom doctor`. */
  readonly address: string
  /** The least time between two sendings. */
  readonly everyMs: number
  /** Resolves once the witness has the heads. One call at a time. */
  send(heads: readonly SignedHead[]): Promise<void>
}

export interface CourierOptions {
  readonly directory: string
  readonly witness: Witness
  readonly clock: Clock
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Brings the heads of all chains of a trail to one witness. */
export interface Courier {
  stop(): Promise<void>
}

/** How often the trail is looked at. */
const lookMs = 1_000
const longestRetryMs = 60_000

/**
 * No call waits for the courier: it reads the seals out of the trail, which is thereby the durable queue, and keeps
 * beside it how far the witness has it. After a crash a head may be told twice.
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
    if (waiting.length === 0 || clock.now() < sentAt + witness.everyMs) return
    await witness.send(waiting)
    sentAt = clock.now()
    waiting = []
    if (failures > 0) log.info({ witness: witness.address }, 'the audit witness has all signed heads again')
    failures = 0
    await writeWitnessState(directory, witness, { points, sentAt })
  }

  async function fail(error: unknown): Promise<void> {
    failures += 1
    // What is read again after a failure is bounded anew: thousands of heads say no more than the last ones.
    points = (await readWitnessState(directory, witness)).points
    waiting = []
    if (failures > 1) return
    log.warn(
      { witness: witness.address, err: error },
      'the audit witness cannot be told of signed heads; calls go on, and it is told later',
    )
    const reason = error instanceof Error ? error.message : String(error)
    await writeWitnessState(directory, witness, { points, sentAt, failing: { since: clock.now(), reason } })
  }

  async function run(): Promise<void> {
    const state = await readWitnessState(directory, witness)
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
