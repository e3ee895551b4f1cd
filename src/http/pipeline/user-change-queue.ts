/**
 * Changes of one user that may be at the database at once. The database takes changes in the order of arrival, so that
 * other users wait for at most this many of a bulk load. Eight still share one commit and its sync.
 */
const mostAtOnce = 8

/** Runs a change when fewer than `mostAtOnce` of the same user are under way. */
export type UserChangeQueue = <T>(userId: number | undefined, change: () => Promise<T>) => Promise<T>

interface Queue {
  underWay: number
  readonly waiting: (() => void)[]
}

export function createUserChangeQueue(): UserChangeQueue {
  const queues = new Map<number, Queue>()

  function begin(queue: Queue): Promise<void> | undefined {
    if (queue.underWay === mostAtOnce) return new Promise((resolve) => queue.waiting.push(resolve))
    queue.underWay += 1
    return undefined
  }

  function end(userId: number, queue: Queue): void {
    // The next change takes the place over, so that `underWay` stays.
    const next = queue.waiting.shift()
    if (next !== undefined) return next()
    queue.underWay -= 1
    if (queue.underWay === 0) queues.delete(userId)
  }

  return async (userId, change) => {
    // Calls without a caller, such as logins, have limits of their own.
    if (userId === undefined) return change()
    const queue = queues.get(userId) ?? { underWay: 0, waiting: [] }
    queues.set(userId, queue)
    await begin(queue)
    try {
      return await change()
    } finally {
      end(userId, queue)
    }
  }
}
