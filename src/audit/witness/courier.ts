import { errorMessageOf } from '../../fault.ts'
import type { Clock } from '../../clock.ts'
import { readHeads, type ReadPoints } from './head-reader.ts'
import type { SignedHead } from './signed-head.ts'
import { type Courier, startDeliveryLoop } from '../delivery-loop.ts'
import { readDeliveryState, type Receiver, writeDeliveryState } from '../delivery-state.ts'

/** A receiver outside the machine that gets the signed heads. */
export interface Witness extends Receiver {
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

/**
 * Starts a courier. It reads the seals from the trail, which serves as a durable queue, so that no call waits. It
 * stores beside the trail which heads the witness has; after a crash a head may be sent twice.
 */
export function startCourier({ directory, witness, clock, log }: CourierOptions): Courier {
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
    const failing = { since: clock.now(), reason: errorMessageOf(error) }
    await writeDeliveryState(directory, witness, { points, sentAt, failing })
  }

  return startDeliveryLoop({
    begin: async () => void ({ points, sentAt } = await readDeliveryState(directory, witness)),
    look,
    fail,
    failures: () => failures,
  })
}
