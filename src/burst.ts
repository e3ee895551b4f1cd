/**
 * The most turns of the event loop for which the first call of a burst waits: a few milliseconds if each turn is busy.
 */
const mostTurns = 6

/**
 * Resolves at the first turn of the event loop in which `waiting` has not grown. Calls come in bursts. Waking a
 * process, a thread or the disk once for a whole burst costs a fraction of waking it for each call.
 */
export async function endOfBurst(waiting: () => number): Promise<void> {
  for (let turns = 0, seen = 0; turns < mostTurns && waiting() > seen; turns += 1) {
    seen = waiting()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
