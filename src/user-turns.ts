/**
 * Runs work for a user when fewer than a certain number of the same user's works are under way. Work without a user runs
 * at once.
 */
export type UserTurns = <T>(userId: number | undefined, work: () => Promise<T>) => Promise<T>

interface Queue {
  underWay: number
  readonly waiting: (() => void)[]
}

export function createUserTurns(mostAtOnce: number): UserTurns {
  const queues = new Map<number, Queue>()

  function begin(queue: Queue): Promise<void> | undefined {
    if (queue.underWay === mostAtOnce) return new Promise((resolve) => queue.waiting.push(resolve))
    queue.underWay += 1
    return undefined
  }

  function end(userId: number, queue: Queue): void {
    // `underWay` stays: the next work begins as this one ends.
    const next = queue.waiting.shift()
    if (next !== undefined) return next()
    queue.underWay -= 1
    if (queue.underWay === 0) queues.delete(userId)
  }

  return async (userId, work) => {
    if (userId === undefined) return work()
    const queue = queues.get(userId) ?? { underWay: 0, waiting: [] }
    queues.set(userId, queue)
    await begin(queue)
    try {
      return await work()
    } finally {
      end(userId, queue)
    }
  }
}
