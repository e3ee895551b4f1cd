import { Fault, isFault } from '../../fault.ts'
import type { Outcome } from '../../hsm/hsm.ts'
import { takeNext, type Result } from './results.ts'
import { trusting } from './sealing.ts'

/** The token's work on items: one goes on its own, which is cheaper; many go in one frame. A tampered record concerns the key, and so all. */
export async function outcomesOf<I>(
  items: readonly I[],
  single: (item: I) => Promise<Buffer>,
  many: (items: readonly I[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const [only] = items
  if (only === undefined) return []
  if (items.length > 1) return trusting(async () => (await many(items)).map(rethrowBrokenSeal))
  try {
    return [{ result: await trusting(() => single(only)) }]
  } catch (error) {
    if (isFault(error, 'hsm.rejected')) return [{ fault: error }]
    throw error
  }
}

export const isResult = (outcome: Outcome): outcome is { readonly result: Buffer } => 'result' in outcome

/** What the token rejects while it decrypts is a bad ciphertext. */
export function asCiphertextFault(fault: Fault): Fault {
  return fault.code === 'hsm.rejected' ? new Fault('ciphertext.invalid') : fault
}

/** Works on what is ready, and puts the results of all back into their order. */
export async function inOrder<P, T>(
  prepared: readonly Result<P>[],
  work: (ready: readonly P[]) => Promise<readonly Result<T>[]>,
): Promise<readonly Result<T>[]> {
  const ready = prepared.flatMap((item) => ('value' in item ? [item.value] : []))
  const done = (await work(ready))[Symbol.iterator]()
  return prepared.map((item) => ('fault' in item ? item : takeNext(done)))
}

function rethrowBrokenSeal(outcome: Outcome): Outcome {
  if ('fault' in outcome && outcome.fault.code === 'hsm.seal_broken') throw outcome.fault
  return outcome
}
