import { Fault } from '../../fault.ts'

/** A weighted semaphore over bytes of memory. */
export interface MemoryBudget {
  /**
   * Waits until the bytes are available. Call the result to give them back; further calls have no effect.
   * @throws Fault `object.busy`
   */
  acquire(bytes: number): Promise<() => void>
}

export interface MemoryBudgetLimits {
  readonly totalBytes: number
  readonly maxWaitMs: number
}

interface Waiting {
  readonly bytes: number
  readonly grant: () => void
}

/** Serves requests in the order of arrival. A request larger than the budget takes all of it. */
export function createMemoryBudget({ totalBytes, maxWaitMs }: MemoryBudgetLimits): MemoryBudget {
  let free = totalBytes
  let waiting: Waiting[] = []

  function serve(): void {
    for (let [next] = waiting; next !== undefined && next.bytes <= free; [next] = waiting) {
      waiting = waiting.slice(1)
      free -= next.bytes
      next.grant()
    }
  }

  function releaserOf(bytes: number): () => void {
    let held = bytes
    return () => {
      free += held
      held = 0
      serve()
    }
  }

  return {
    acquire(wanted) {
      const bytes = Math.min(wanted, totalBytes)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting = waiting.filter((other) => other !== entry)
          reject(new Fault('object.busy', undefined, { retryAfterMs: maxWaitMs }))
          serve()
        }, maxWaitMs)
        const entry: Waiting = {
          bytes,
          grant: () => {
            clearTimeout(timer)
            resolve(releaserOf(bytes))
          },
        }
        waiting = [...waiting, entry]
        serve()
      })
    },
  }
}
