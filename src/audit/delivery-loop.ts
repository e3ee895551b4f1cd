import { setTimeout as sleep } from 'node:timers/promises'

/** Sends the trail, or its heads, to one receiver until it is stopped. */
export interface Courier {
  stop(): Promise<void>
}

interface Delivery {
  readonly begin: () => Promise<void>
  /** Reads the trail and sends what is new. Resolves to whether there may be more. */
  readonly look: () => Promise<boolean | void>
  readonly fail: (error: unknown) => Promise<void>
  /** Failures since the last success. With each the pause grows. */
  readonly failures: () => number
}

/** Interval at which the trail is read. */
const lookMs = 1_000
const longestRetryMs = 60_000

export function startDeliveryLoop({ begin, look, fail, failures }: Delivery): Courier {
  const stopped = new AbortController()

  async function run(): Promise<void> {
    await begin()
    while (!stopped.signal.aborted) {
      const isMore = await look()
        .catch(fail)
        .catch(() => undefined)
      const pauseMs = Math.min(lookMs * 2 ** failures(), longestRetryMs)
      if (!isMore) await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    stop() {
      stopped.abort()
      return running
    },
  }
}
