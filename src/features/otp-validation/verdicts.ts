import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import { createGathering } from '../../store/concurrency.ts'
import type { Store, Tx } from '../../store/store.ts'
import { noteValidated, wasValidated } from './records.ts'

export type Verdict = 'OK' | 'REPLAYED_OTP' | 'REPLAYED_REQUEST'

export interface Verdicts {
  /**
   * Uses an OTP up: the verdict is OK for exactly one of any number of calls with it. `prepare` records the verdict and
   * gives a function that makes the answer after the commit. If any `prepare` of the batch fails, all reject and
   * nothing is used up.
   */
  decide<T>(otp: ExaminedOtp, nonce: string, prepare: (verdict: Verdict) => Promise<() => Promise<T>>): Promise<T>
}

/** A decision that waits for the next transaction. */
interface WaitingDecision {
  readonly otp: ExaminedOtp
  readonly nonce: string
  /** Records the verdict; resolves to the function that delivers the answer. */
  readonly prepare: (verdict: Verdict) => Promise<HandOut>
  readonly reject: (error: unknown) => void
}

type HandOut = () => Promise<void>

/** Decisions per transaction, which bounds how long the database is locked. */
const mostAtOnce = 64

/**
 * Decides all requests that arrive while a transaction is being written in one further transaction, and writes their
 * audit records with one sync. Otherwise a disk with a hundred syncs a second could serve only fifty requests a second.
 */
export function createVerdicts({
  store,
  otps,
}: {
  readonly store: Pick<Store, 'transaction'>
  readonly otps: Pick<Otps, 'consume'>
}): Verdicts {
  async function decideOne(tx: Tx, { otp, nonce }: WaitingDecision): Promise<Verdict> {
    const validated = { deviceId: otp.deviceId, counter: otp.counter, nonce }
    if (await otps.consume(tx, otp)) {
      await noteValidated(tx, validated)
      return 'OK'
    }
    return (await wasValidated(tx, validated)) ? 'REPLAYED_REQUEST' : 'REPLAYED_OTP'
  }

  async function decideAll(batch: readonly WaitingDecision[]): Promise<void> {
    try {
      const answers = await store.transaction(async (tx) => {
        const decided: { readonly one: WaitingDecision; readonly verdict: Verdict }[] = []
        // In sequence: of two requests with the same OTP, the second must see the use by the first.
        for (const one of batch) decided.push({ one, verdict: await decideOne(tx, one) })
        return Promise.all(decided.map(({ one, verdict }) => one.prepare(verdict)))
      })
      await Promise.all(answers.map((handOut) => handOut()))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  // Ordered by device, so that two workers lock rows of PostgreSQL in the same order.
  const decisions = createGathering<WaitingDecision>(mostAtOnce, (batch) =>
    decideAll(batch.toSorted((one, other) => one.otp.deviceId - other.otp.deviceId)),
  )

  return {
    decide: (otp, nonce, prepare) =>
      new Promise((resolve, reject) => {
        const prepared = async (verdict: Verdict): Promise<HandOut> => {
          const answer = await prepare(verdict)
          return () => answer().then(resolve, reject)
        }
        decisions.add({ otp, nonce, prepare: prepared, reject })
      }),
  }
}
