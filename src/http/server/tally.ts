import type { Log } from '../../log.ts'

/** What happens so often that the journal has it in sums: the first at once, and then one line in each interval. */
export interface Tally {
  count(what: string, network: string): void
  /** Writes what is not written yet. */
  close(): void
}

const intervalMs = 10_000
/** Networks that one line names: those with most. */
const mostNamed = 5

export function createTally(log: Pick<Log, 'warn'>, sentence: string): Tally {
  let counts = new Map<string, number>()
  let networks = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  function write(): void {
    timer = undefined
    if (counts.size === 0) return
    const named = [...networks].toSorted(([, one], [, other]) => other - one).slice(0, mostNamed)
    log.warn({ ...Object.fromEntries(counts), networks: networks.size, most: Object.fromEntries(named) }, sentence)
    counts = new Map()
    networks = new Map()
    timer = setTimeout(write, intervalMs).unref()
  }

  return {
    count(what, network) {
      counts.set(what, (counts.get(what) ?? 0) + 1)
      networks.set(network, (networks.get(network) ?? 0) + 1)
      if (timer === undefined) write()
    },
    close() {
      clearTimeout(timer)
      write()
      clearTimeout(timer)
    },
  }
}
