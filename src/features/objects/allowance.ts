import { Fault } from '../../fault.ts'

/** Room in memory that is given out and given back. */
export interface Allowance {
  /** Waits for its turn; the result gives the room back, however often it is called. @throws Fault `object.busy` */
  take(bytes: number): Promise<() => void>
}

export interface AllowanceLimits {
  readonly totalBytes: number
  readonly patienceMs: number
}

interface Waiting {
  readonly bytes: number
  readonly grant: () => void
}

/** First come, first served. What is larger than the whole allowance gets all of it. */
export function createAllowance({ totalBytes, patienceMs }: AllowanceLimits): Allowance {
  let free = totalBytes
  let waiting: Waiting[] = []

  function serve(): void {
    for (let [next] = waiting; next !== undefined && next.bytes <= free; [next] = waiting) {
      waiting = waiting.slice(1)
      free -= next.bytes
      next.grant()
    }
  }

  function giveBack(bytes: number): () => void {
    let held = bytes
    return () => {
      free += held
      held = 0
      serve()
    }
  }

  return {
    take(wanted) {
      const bytes = Math.min(wanted, totalBytes)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting = waiting.filter((other) => other !== entry)
          reject(new Fault('object.busy', undefined, { retryAfterMs: patienceMs }))
          serve()
        }, patienceMs)
        const entry: Waiting = {
          bytes,
          grant: () => {
            clearTimeout(timer)
            resolve(giveBack(bytes))
          },
        }
        waiting = [...waiting, entry]
        serve()
      })
    },
  }
}
