import { createFairQueue } from '../../access/fair-queue.ts'
import { Fault } from '../../fault.ts'

export interface LoginQueue {
  /**
   * Runs a login, or other work that includes `Passphrases.check`, when its turn comes. The whole of it waits, because
   * all of it slows other calls down, and because a client must not be refused half-way, with the OTP used up. Not to
   * be nested.
   * @throws Fault `login.busy` when too many logins are waiting, most of them from the same sender
   */
  run<T>(work: () => Promise<T>, from?: LoginOrigin): Promise<T>
}

export interface LoginOrigin {
  /** In the form of `networkOf`. */
  readonly network: string
  /** The name of the account, even if there is no such account. */
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

/** All networks from which no user has logged in lately count as one sender. */
const unfamiliar = 'unfamiliar networks'

const ways = [
  ({ network }: WaitingLogin) => network,
  ({ name }: WaitingLogin) => name,
  ({ network, isFamiliar }: WaitingLogin) => (isFamiliar ? network : unfamiliar),
]

/**
 * Runs `concurrency` logins at once and lets `queue` more wait. The turn passes between networks, between accounts, and
 * between familiar networks. When the queue is full, the sender with the most waiting logins loses the newest of them;
 * all unfamiliar networks count as one sender. So an attacker who sends many logins neither delays nor crowds out a
 * login that differs from them in network, account or familiarity.
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
        // `running` stays: the next login in the queue begins as this one ends, and no new login overtakes it.
        const next = waiting.next()
        if (next) next.begin()
        else running -= 1
      }
    },
  }
}

/** The sender of pass phrases that an administrator sets. */
const ownWork: LoginOrigin = { network: '', name: '', isFamiliar: () => Promise.resolve(true) }

const busy = (): Fault => new Fault('login.busy', undefined, { retryAfterMs: 1_000 })
