/** Turns of the event loop that the first of a burst waits at most: some milliseconds where each turn is full of work. */
const mostTurns = 6

/**
 * Resolves with the first turn of the event loop in which nothing more has come. Calls come in bursts, and what wakes a
 * process, a thread or the disk once for all of a burst costs a fraction of what waking it for each would.
 */
export async function endOfBurst(waiting: () => number): Promise<void> {
  for (let turns = 0, seen = 0; turns < mostTurns && waiting() > seen; turns += 1) {
    seen = waiting()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
