/** Records of one chain may be dated in another order than they are written by less than this, in milliseconds. */
const toleranceMs = 1_000
/** Each fall has all rows dated anew, and code in a worker may write any times. */
const mostFalls = 100

export interface ClockFalls {
  /** The chain of a file. */
  chainOf(file: string): string
  /** Takes the time of the next record of a chain. Whether the clock was set back before it. */
  isFall(chain: string, at: number): boolean
}

/**
 * Notices where the clock of a chain was set back: what the chain told before was told earlier than its next record,
 * whatever the times say.
 */
export function createClockFalls(): ClockFalls {
  const chains = new Map<string, string>()
  const latest = new Map<string, number>()
  let falls = 0
  return {
    chainOf(file) {
      const chain = chains.get(file) ?? file.replace(/\.\d+\.jsonl$/, '')
      chains.set(file, chain)
      return chain
    },
    isFall(chain, at) {
      const before = latest.get(chain) ?? at
      const isFall = at < before - toleranceMs && falls < mostFalls
      if (isFall) falls += 1
      latest.set(chain, isFall ? at : Math.max(before, at))
      return isFall
    },
  }
}
