import { Fault, isFault, type FaultCode } from '../../fault.ts'
import { required, resultOf, resultsOf } from '../../hsm/batch-outcomes.ts'
import type { Outcome } from '../../hsm/hsm.ts'
import { mapBrokenSeal } from './sealing.ts'

/**
 * The items of one call in the order of the call. Each is ready for the next step, or has failed already, which does
 * not affect the others.
 */
export type Batch<T> = readonly Outcome<T>[]

/** Faults of a single item; any other fault fails the whole call. */
const itemFaults: readonly FaultCode[] = [
  'key.version_unknown',
  'key.version_disabled',
  'key.exhausted',
  'ciphertext.malformed',
  'ciphertext.invalid',
  'request.invalid',
]

export const batchOf = <T>(items: readonly T[]): Batch<T> => items.map((result) => ({ result }))

/** The items that have not failed. */
export const readyIn = <T>(batch: Batch<T>): T[] => resultsOf(batch)

/** The result of a call with one item. @throws the fault of the item */
export const onlyResult = <T>([only]: Batch<T>): T => resultOf(only)

/** The batch, if all of its items have failed; undefined while any is ready. */
export function allFailed(batch: Batch<unknown>): Batch<never> | undefined {
  return batch.every((item) => 'fault' in item) ? batch : undefined
}

/** Applies `work` to each ready item. An item's own fault becomes its result. */
export function mapEach<T, R>(batch: Batch<T>, work: (item: T) => R): Batch<R> {
  return batch.map((item) => {
    if ('fault' in item) return item
    try {
      return { result: work(item.result) }
    } catch (error) {
      return { fault: itemFault(error) }
    }
  })
}

/** Applies `work` to all ready items at once; it returns one outcome per item, in their order. */
export async function mapTogether<T, O, R>(
  batch: Batch<T>,
  work: (ready: readonly T[]) => Promise<Batch<O>>,
  finish: (output: O, item: T) => R,
): Promise<Batch<R>> {
  const done = (await work(readyIn(batch))).values()
  return batch.map((item) => {
    if ('fault' in item) return item
    const outcome = required(done.next().value)
    return 'fault' in outcome ? outcome : { result: finish(outcome.result, item.result) }
  })
}

/** Runs work that concerns one item or several equal ones, and keeps an item's fault as its result. */
export async function settled<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { result: await work() }
  } catch (error) {
    return { fault: itemFault(error) }
  }
}

function itemFault(error: unknown): Fault {
  if (error instanceof Fault && itemFaults.includes(error.code)) return error
  throw error
}

/**
 * Runs an operation of the token on items: a single one by itself, which is cheaper, several together. An item that the
 * token rejects gets the token's fault, or the one that `rejected` makes. A tampered or outdated record concerns
 * the key, and so fails the call.
 */
export async function onToken<I>(
  items: readonly I[],
  single: (item: I) => Promise<Buffer>,
  many: (items: readonly I[]) => Promise<Batch<Buffer>>,
  rejected: (fault: Fault) => Fault = (fault) => fault,
): Promise<Batch<Buffer>> {
  const [only] = items
  if (only === undefined) return []
  if (items.length > 1)
    return mapBrokenSeal(async () => (await many(items)).map((outcome) => ofItem(outcome, rejected)))
  try {
    return [{ result: await mapBrokenSeal(() => single(only)) }]
  } catch (error) {
    if (isFault(error, 'hsm.rejected')) return [{ fault: rejected(error) }]
    throw error
  }
}

function ofItem(outcome: Outcome, rejected: (fault: Fault) => Fault): Outcome {
  if ('result' in outcome) return outcome
  if (['hsm.seal_broken', 'hsm.outdated'].includes(outcome.fault.code)) throw outcome.fault
  return { fault: outcome.fault.code === 'hsm.rejected' ? rejected(outcome.fault) : outcome.fault }
}
