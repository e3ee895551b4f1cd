import { Fault } from '../../fault.ts'

/** A weighted semaphore over bytes of memory. */
export interface MemoryBudget {
  /**
   * Waits until the bytes are available to this user. Call the result to give them back; further calls have no effect.
   * @throws Fault `object.busy`
   */
  acquire(userId: number, bytes: number): Promise<() => void>
}

export interface MemoryBudgetLimits {
  readonly totalBytes: number
  readonly maxWaitMs: number
}

interface Waiting {
  readonly userId: number
  readonly bytes: number
  readonly begin: () => void
}

/**
 * Serves requests in the order of arrival. A request larger than the budget takes all of it. All requests of one user
 * together take half of it at most, since clients may read their answers slowly: what more they ask for waits, and
 * what they ask for later waits behind it; others do not.
 */
export function createMemoryBudget({ totalBytes, maxWaitMs }: MemoryBudgetLimits): MemoryBudget {
  const held = new Map<number, number>()
  let free = totalBytes
  let waiting: readonly Waiting[] = []

  function hasShare({ userId, bytes }: Waiting): boolean {
    const own = held.get(userId) ?? 0
    return own === 0 || own + bytes <= totalBytes / 2
  }

  /** The first that waits, without users whose own first has no share: their small requests must not starve a large one. */
  function findNext(): Waiting | undefined {
    const seen = new Set<number>()
    return waiting.find((entry) => {
      if (seen.has(entry.userId)) return false
      seen.add(entry.userId)
      return hasShare(entry)
    })
  }

  function serve(): void {
    for (let next = findNext(); next !== undefined && next.bytes <= free; next = findNext()) {
      const { userId, bytes, begin } = next
      waiting = waiting.filter((other) => other !== next)
      take(userId, bytes)
      begin()
    }
  }

  function take(userId: number, bytes: number): void {
    free -= bytes
    const own = (held.get(userId) ?? 0) + bytes
    if (own > 0) held.set(userId, own)
    else held.delete(userId)
  }

  function releaserOf(userId: number, bytes: number): () => void {
    let left = bytes
    return () => {
      take(userId, -left)
      left = 0
      serve()
    }
  }

  return {
    acquire(userId, wanted) {
      const bytes = Math.min(wanted, totalBytes)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting = waiting.filter((other) => other !== entry)
          reject(new Fault('object.busy', undefined, { retryAfterMs: maxWaitMs }))
          serve()
        }, maxWaitMs)
        const entry: Waiting = {
          userId,
          bytes,
          begin: () => {
            clearTimeout(timer)
            resolve(releaserOf(userId, bytes))
          },
        }
        waiting = [...waiting, entry]
        serve()
      })
    },
  }
}
