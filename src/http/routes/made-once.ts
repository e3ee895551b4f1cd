/**
 * Runs `make` at the first call and keeps the result. Calls in the meantime wait for the same run, so that a thousand
 * parallel first calls cause one. A failed run is repeated by the next call.
 */
export function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
