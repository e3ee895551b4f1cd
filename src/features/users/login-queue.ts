import { createFairQueue } from '../../access/fair-queue.ts'
import { Fault } from '../../fault.ts'

export interface LoginQueue {
  /**
   * Runs a login, or other work of which a `Passphrases.check` is a part, when its turn comes: the whole of it, because
   * all of it slows other calls down, and so that no client is refused half-way, with the OTP used up. Not to be
   * nested.
   * @throws Fault `login.busy` when too many are waiting, most of them by the same sender
   */
  run<T>(work: () => Promise<T>, from?: LoginOrigin): Promise<T>
}

export interface LoginOrigin {
  /** By `networkOf`. */
  readonly network: string
  /** The name of the account, whether there is one or not. */
  readonly name: string
  /** Whether users have logged in from the network lately. */
  readonly isFamiliar: () => Promise<boolean>
}

interface WaitingLogin {
  readonly network: string
  readonly name: string
  readonly isFamiliar: boolean
  readonly begin: () => void
  readonly refuse: (fault: Fault) => void
}

/** All networks from which no user has logged in lately are one sender. */
const unfamiliar = 'unfamiliar networks'

const ways = [
  ({ network }: WaitingLogin) => network,
  ({ name }: WaitingLogin) => name,
  ({ network, isFamiliar }: WaitingLogin) => (isFamiliar ? network : unfamiliar),
]

/**
 * Runs `concurrency` logins at once and lets `queue` more wait. Turns go round the networks, round the accounts, and
 * round the familiar networks, and when the queue is full, the sender with the most waiting logins loses the last one,
 * all unfamiliar networks being one sender: an attacker who sends many at once delays no login that differs from them in
 * one of these, nor keeps it out.
 */
export function createLoginQueue({
  concurrency,
  queue,
}: {
  readonly concurrency: number
  readonly queue: number
}): LoginQueue {
  const waiting = createFairQueue<WaitingLogin>(ways)
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
    async run(work, from = ownWork) {
      const isFamiliar = running >= concurrency && (await from.isFamiliar())
      if (running >= concurrency)
        await new Promise<void>((begin, refuse) => wait({ ...from, isFamiliar, begin, refuse }))
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

/** What an administrator's call brings with it. */
const ownWork: LoginOrigin = { network: '', name: '', isFamiliar: () => Promise.resolve(true) }

const busy = (): Fault => new Fault('login.busy', undefined, { retryAfterMs: 1_000 })
