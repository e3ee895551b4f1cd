/**
 * What is made at the first call, and kept. Calls that come while it is made wait for the same one: a stranger who sends
 * a thousand first calls at once has it made once. What failed is tried again by the next call.
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
