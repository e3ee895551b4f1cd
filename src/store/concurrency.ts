import { endOfBurst } from '../burst.ts'

/** Runs pieces of work one after another, in the order of their calls. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

/**
 * The same for each key (a number) separately. `work` is told whether it waited for others, in which case what it
 * depends on may have changed.
 */
export function createKeyedMutex(): <T>(name: number, work: (hasWaited: boolean) => Promise<T>) => Promise<T> {
  const last = new Map<number, Promise<unknown>>()
  return (name, work) => {
    const before = last.get(name)
    const result = before === undefined ? work(false) : before.then(() => work(true))
    const ended = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(name) === ended) last.delete(name)
      })
    last.set(name, ended)
    return result
  }
}

/**
 * Combines runs of the same work, by name. Requests that arrive during a run share the next one, because the present one
 * may have begun too early for them. Where `patienceMs` is given, they wait for the present one no longer than that.
 */
export function createSharedRuns<T>(patienceMs?: number): (name: string, work: () => Promise<T>) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  const next = new Map<string, Promise<T>>()

  function start(name: string, work: () => Promise<T>): Promise<T> {
    next.delete(name)
    const started = work().finally(() => {
      if (running.get(name) === started) running.delete(name)
    })
    running.set(name, started)
    return started
  }

  return (name, work) => {
    const present = running.get(name)
    if (present === undefined) return start(name, work)
    const begin = () => start(name, work)
    const following = next.get(name) ?? orLater(present, patienceMs).then(begin, begin)
    next.set(name, following)
    return following
  }
}

/** Settles with the work, or after this time. */
function orLater(work: Promise<unknown>, patienceMs: number | undefined): Promise<unknown> {
  if (patienceMs === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const later = new Promise((resolve) => (timer = setTimeout(resolve, patienceMs)))
  return Promise.race([work, later]).finally(() => clearTimeout(timer))
}

/** A queue of items that are processed in batches. */
export interface Gathering<Item> {
  add: (item: Item) => void
  /** Resolves when nothing is waiting or being processed. */
  idle: () => Promise<void>
}

/**
 * Passes to `work` everything that arrived while it was busy, together with the burst that arrives then: at most `most`
 * items, in the order of arrival. `work` settles each item itself, and must not reject.
 */
export function createGathering<Item>(most: number, work: (batch: readonly Item[]) => Promise<void>): Gathering<Item> {
  const waiting: Item[] = []
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await endOfBurst(() => waiting.length)
      await work(waiting.splice(0, most))
    }
    running = undefined
  }

  return {
    add(item) {
      waiting.push(item)
      running ??= run()
    },
    async idle() {
      await running
    },
  }
}
