import type { Log } from '../../log.ts'

/** Summarizes frequent events in the journal: the first one at once, then one line per interval. */
export interface Tally {
  count(what: string, network: string): void
  /** Writes what is still unwritten. */
  close(): void
}

const intervalMs = 10_000
/** Number of networks in one line: those with the most events. */
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
