import { Fault, isFault, type FaultCode } from '../../fault.ts'
import type { Outcome } from '../../hsm/hsm.ts'
import { trusting } from './sealing.ts'

/** What became of one item of many: its own fault spoils no other. */
export type Result<T> = { readonly value: T } | { readonly fault: Fault }

/** The items of one call, in the order in which they came, as far as the call has got with each. */
export type Batch<T> = readonly Result<T>[]

/** Faults that concern one item and not the call. */
const itemFaults: readonly FaultCode[] = [
  'key.version_unknown',
  'key.version_disabled',
  'key.exhausted',
  'ciphertext.malformed',
  'ciphertext.invalid',
  'request.invalid',
]

export const batchOf = <T>(items: readonly T[]): Batch<T> => items.map((value) => ({ value }))

/** The items that have not failed. */
export function readyIn<T>(batch: Batch<T>): T[] {
  const ready: T[] = []
  for (const item of batch) if ('value' in item) ready.push(item.value)
  return ready
}

/** The batch again, where no item is ready any more: there is nothing left to do. */
export function allFailed(batch: Batch<unknown>): Batch<never> | undefined {
  return batch.every((item) => 'fault' in item) ? batch : undefined
}

/** Does something with each item that is ready; a fault that concerns the item alone becomes its result. */
export function mapEach<T, R>(batch: Batch<T>, work: (item: T) => R): Batch<R> {
  return batch.map((item) => {
    if ('fault' in item) return item
    try {
      return { value: work(item.value) }
    } catch (error) {
      return { fault: itemFault(error) }
    }
  })
}

/** Does something with all that are ready at once; `work` gives one result for each, in their order. */
export async function mapTogether<T, O, R>(
  batch: Batch<T>,
  work: (ready: readonly T[]) => Promise<readonly Result<O>[]>,
  finish: (output: O, item: T) => R,
): Promise<Batch<R>> {
  const done = (await work(readyIn(batch))).values()
  return batch.map((item) => {
    if ('fault' in item) return item
    const { value: result } = done.next()
    if (result === undefined) throw new TypeError('fewer results than items')
    return 'fault' in result ? result : { value: finish(result.value, item.value) }
  })
}

/** The result of work that concerns one item, or several alike. */
export async function settled<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { fault: itemFault(error) }
  }
}

function itemFault(error: unknown): Fault {
  if (error instanceof Fault && itemFaults.includes(error.code)) return error
  throw error
}

/** @throws its fault */
export function valueOf<T>(result: Result<T> | undefined): T {
  if (result === undefined) throw new TypeError('there is no result')
  if ('fault' in result) throw result.fault
  return result.value
}

/**
 * The token's work on items: one goes on its own, which is cheaper; many go in one frame. What the token rejects of
 * an item is its fault, or what `rejected` makes of that; a tampered or outdated record concerns the key, and so the
 * call.
 */
export async function onToken<I>(
  items: readonly I[],
  single: (item: I) => Promise<Buffer>,
  many: (items: readonly I[]) => Promise<readonly Outcome[]>,
  rejected: (fault: Fault) => Fault = (fault) => fault,
): Promise<Result<Buffer>[]> {
  const [only] = items
  if (only === undefined) return []
  if (items.length > 1) return trusting(async () => (await many(items)).map((outcome) => resultOf(outcome, rejected)))
  try {
    return [{ value: await trusting(() => single(only)) }]
  } catch (error) {
    if (isFault(error, 'hsm.rejected')) return [{ fault: rejected(error) }]
    throw error
  }
}

function resultOf(outcome: Outcome, rejected: (fault: Fault) => Fault): Result<Buffer> {
  if ('result' in outcome) return { value: outcome.result }
  if (['hsm.seal_broken', 'hsm.outdated'].includes(outcome.fault.code)) throw outcome.fault
  return { fault: outcome.fault.code === 'hsm.rejected' ? rejected(outcome.fault) : outcome.fault }
}
