/**
 * Changes of one user that wait for the database at once. It takes changes in the order in which they come: of hundreds
 * of one user the others wait for these alone. So many of a bulk load still share a commit, and its sync.
 */
const mostAtOnce = 8

/** Has the changes of each user wait for each other, some at a time. */
export type ChangeTurns = <T>(userId: number | undefined, change: () => Promise<T>) => Promise<T>

interface Queue {
  underWay: number
  readonly waiting: (() => void)[]
}

export function createChangeTurns(): ChangeTurns {
  const queues = new Map<number, Queue>()

  function begin(queue: Queue): Promise<void> | undefined {
    if (queue.underWay === mostAtOnce) return new Promise((resolve) => queue.waiting.push(resolve))
    queue.underWay += 1
    return undefined
  }

  function end(userId: number, queue: Queue): void {
    // The turn goes on to the next one.
    const next = queue.waiting.shift()
    if (next !== undefined) return next()
    queue.underWay -= 1
    if (queue.underWay === 0) queues.delete(userId)
  }

  return async (userId, change) => {
    // Of calls without a caller, such as logins, other limits are the bound.
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
