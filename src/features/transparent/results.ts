import { Fault, type FaultCode } from '../../fault.ts'

/** What became of one item of many: its own fault spoils no other. */
export type Result<T> = { readonly value: T } | { readonly fault: Fault }

/** Faults that concern one item and not the call. */
const itemFaults: readonly FaultCode[] = [
  'key.version_unknown',
  'key.version_disabled',
  'key.exhausted',
  'ciphertext.malformed',
  'ciphertext.invalid',
  'request.invalid',
]

/** Does something with each item; a fault that concerns the item alone becomes its result. */
export function each<I, T>(items: readonly I[], work: (item: I) => Promise<T>): Promise<Result<T>[]> {
  return Promise.all(
    items.map(async (item) => {
      try {
        return { value: await work(item) }
      } catch (error) {
        return { fault: itemFault(error) }
      }
    }),
  )
}

/** The same for work that need not wait: a promise costs more than most of it. */
export function eachNow<I, T>(items: readonly I[], work: (item: I, at: number) => T): Result<T>[] {
  return items.map((item, at) => {
    try {
      return { value: work(item, at) }
    } catch (error) {
      return { fault: itemFault(error) }
    }
  })
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

/** The next of results that stand in the order of the items that were ready. */
export function takeNext<T>(results: Iterator<Result<T>>): Result<T> {
  const next = results.next()
  if (next.done === true) throw new TypeError('fewer results than items')
  return next.value
}
