import { createTurns } from '../../access/turns.ts'
import { Fault } from '../../fault.ts'

export interface LoginQueue {
  /**
   * Runs a login, or other work of which a `Passphrases.check` is a part, when its turn comes: the whole of it, because
   * all of it slows other calls down, and so that no client is refused half-way, with the OTP used up. Not to be
   * nested.
   * @throws Fault `login.busy` when too many are waiting, most of them from the same network or for the same account
   */
  run<T>(work: () => Promise<T>, from?: LoginOrigin): Promise<T>
}

export interface LoginOrigin {
  /** By `networkOf`. */
  readonly network: string
  /** The name of the account, whether there is one or not. */
  readonly name: string
}

interface WaitingLogin extends LoginOrigin {
  readonly begin: () => void
  readonly refuse: (fault: Fault) => void
}

/**
 * Runs `concurrency` logins at once and lets `queue` more wait. Turns go round the networks and round the accounts, and
 * when the queue is full, the network or account with the most waiting logins loses its last one: an attacker who sends
 * many at once delays no login that differs from them in one of both, nor keeps it out.
 */
export function createLoginQueue({
  concurrency,
  queue,
}: {
  readonly concurrency: number
  readonly queue: number
}): LoginQueue {
  const waiting = createTurns<WaitingLogin>([({ network }) => network, ({ name }) => name])
  let running = 0

  function wait(login: WaitingLogin): void {
    if (waiting.size >= queue) {
      const dropped = waiting.makeRoom(login)
      if (dropped === undefined) return login.refuse(busy())
      dropped.refuse(busy())
    }
    waiting.add(login)
  }

  return {
    async run(work, from = { network: '', name: '' }) {
      if (running >= concurrency) await new Promise<void>((begin, refuse) => wait({ ...from, begin, refuse }))
      else running += 1
      try {
        return await work()
      } finally {
        // The turn is handed to the next in the queue, so that no new login overtakes it.
        const next = waiting.next()
        if (next) next.begin()
        else running -= 1
      }
    },
  }
}

const busy = (): Fault => new Fault('login.busy', undefined, { retryAfterMs: 1_000 })
