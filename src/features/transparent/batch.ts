import { Fault, isFault, type FaultCode } from '../../fault.ts'
import type { Outcome } from '../../hsm/hsm.ts'
import { mapBrokenSeal } from './sealing.ts'

/** The outcome of one item of a batch. The fault of one item does not affect the others. */
export type Result<T> = { readonly value: T } | { readonly fault: Fault }

/** The items of one call in the order of the call. Each is ready for the next step, or has failed already. */
export type Batch<T> = readonly Result<T>[]

/** Faults of a single item; any other fault fails the whole call. */
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

/** The batch, if all of its items have failed; undefined while any is ready. */
export function allFailed(batch: Batch<unknown>): Batch<never> | undefined {
  return batch.every((item) => 'fault' in item) ? batch : undefined
}

/** Applies `work` to each ready item. An item's own fault becomes its result. */
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

/** Applies `work` to all ready items at once; it returns one result per item, in their order. */
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

/** Runs work that concerns one item or several equal ones, and keeps an item's fault as its result. */
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

/** The value of a result. @throws the fault of the result */
export function valueOf<T>(result: Result<T> | undefined): T {
  if (result === undefined) throw new TypeError('there is no result')
  if ('fault' in result) throw result.fault
  return result.value
}

/**
 * Runs an operation of the token on items: a single one by itself, which is cheaper, several in one frame. An item that
 * the token rejects gets the token's fault, or the one that `rejected` makes. A tampered or outdated record concerns
 * the key, and so fails the call.
 */
export async function onToken<I>(
  items: readonly I[],
  single: (item: I) => Promise<Buffer>,
  many: (items: readonly I[]) => Promise<readonly Outcome[]>,
  rejected: (fault: Fault) => Fault = (fault) => fault,
): Promise<Result<Buffer>[]> {
  const [only] = items
  if (only === undefined) return []
  if (items.length > 1)
    return mapBrokenSeal(async () => (await many(items)).map((outcome) => resultOf(outcome, rejected)))
  try {
    return [{ value: await mapBrokenSeal(() => single(only)) }]
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
