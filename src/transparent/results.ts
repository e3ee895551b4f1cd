import { Fault, type FaultCode } from '../fault.ts'

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
        if (error instanceof Fault && itemFaults.includes(error.code)) return { fault: error }
        throw error
      }
    }),
  )
}

/** The next of results that stand in the order of the items that were ready. */
export function takeNext<T>(results: Iterator<Result<T>>): Result<T> {
  const next = results.next()
  if (next.done === true) throw new TypeError('fewer results than items')
  return next.value
}
