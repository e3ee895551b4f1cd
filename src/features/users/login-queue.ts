import { Fault } from '../../fault.ts'

export interface LoginQueue {
  /**
   * Runs a login, or other work of which a `Passphrases.check` is a part, when its turn comes: the whole of it, because
   * all of it slows other calls down, and so that no client is refused half-way, with the OTP used up. Not to be
   * nested. `network`: where the work comes from, by `networkOf`.
   * @throws Fault `login.busy` when too many are waiting, most of them from the same network
   */
  run<T>(work: () => Promise<T>, network?: string): Promise<T>
}

interface WaitingLogin {
  readonly network: string
  readonly begin: () => void
  readonly refuse: (fault: Fault) => void
}

/**
 * Runs `concurrency` logins at once and lets `queue` more wait, first come, first served. When the queue is full, the
 * network with the most waiting logins loses its last one: an attacker who sends many at once keeps no other network
 * out.
 */
export function createLoginQueue({
  concurrency,
  queue,
}: {
  readonly concurrency: number
  readonly queue: number
}): LoginQueue {
  const waiting: WaitingLogin[] = []
  let running = 0

  function dropOneIfFull(network: string): void {
    if (waiting.length < queue) return
    const counts = new Map<string, number>()
    for (const login of waiting) counts.set(login.network, (counts.get(login.network) ?? 0) + 1)
    const most = Math.max(...counts.values())
    if ((counts.get(network) ?? 0) + 1 >= most) throw busy()
    const last = waiting.findLastIndex((login) => counts.get(login.network) === most)
    for (const login of waiting.splice(last, 1)) login.refuse(busy())
  }

  return {
    async run(work, network = '') {
      if (running >= concurrency) {
        dropOneIfFull(network)
        await new Promise<void>((begin, refuse) => waiting.push({ network, begin, refuse }))
      } else running += 1
      try {
        return await work()
      } finally {
        // The turn is handed to the next in the queue, so that no new login overtakes it.
        const next = waiting.shift()
        if (next) next.begin()
        else running -= 1
      }
    },
  }
}

const busy = (): Fault => new Fault('login.busy', undefined, { retryAfterMs: 1_000 })
