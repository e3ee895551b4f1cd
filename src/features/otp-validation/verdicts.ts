import type { ExaminedOtp, Otps } from '../otp/otp.ts'
import { createGathering } from '../../store/concurrency.ts'
import type { Store, Tx } from '../../store/store.ts'
import { noteValidated, wasValidated } from './records.ts'

export type Verdict = 'OK' | 'REPLAYED_OTP' | 'REPLAYED_REQUEST'

export interface Verdicts {
  /**
   * Uses the OTP up: the verdict is OK for exactly one of any number of calls with it. `prepare` records the verdict;
   * what it gives makes the answer after the commit. Rejects when the first of them fails; then nothing is used up,
   * whatever was prepared.
   */
  decide<T>(otp: ExaminedOtp, nonce: string, prepare: (verdict: Verdict) => Promise<() => Promise<T>>): Promise<T>
}

/** A decision that waits for the next transaction. */
interface WaitingDecision {
  readonly otp: ExaminedOtp
  readonly nonce: string
  /** Resolves to what makes the answer and hands it out. */
  readonly prepare: (verdict: Verdict) => Promise<HandOut>
  readonly reject: (error: unknown) => void
}

type HandOut = () => Promise<void>

/** Most decisions of one transaction: the database is locked for so long. */
const mostAtOnce = 64

/**
 * Decides all requests that arrive while the disk is busy in one transaction, and their records go to the disk with one
 * write: otherwise a disk that syncs a hundred times a second would serve fifty users.
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
        // One after another: of two with the same OTP the second must see the first.
        for (const one of batch) decided.push({ one, verdict: await decideOne(tx, one) })
        return Promise.all(decided.map(({ one, verdict }) => one.prepare(verdict)))
      })
      await Promise.all(answers.map((handOut) => handOut()))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  // In the order of the devices: two workers that lock the same rows of PostgreSQL must not do it crosswise.
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
