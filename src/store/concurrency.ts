import { endOfBurst } from '../burst.ts'

/** Runs pieces of work one after another, in the order in which they came. */
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
 * The same for each thing of a number by itself. `work` is told whether it has waited for others, and so may find things
 * changed.
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
 * Makes one sync of many requests to have a file on the disk: requests that come while a sync is under way share the
 * next, because the one under way may have begun too early.
 */
export function createSharedSync(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function start(): Promise<void> {
    next = undefined
    const started = sync().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }

  return () => {
    if (running === undefined) return start()
    next ??= running.then(start, start)
    return next
  }
}

/** Items that wait to be worked on together. */
export interface Gathering<Item> {
  add: (item: Item) => void
  /** Resolves when nothing waits and nothing is under way. */
  idle: () => Promise<void>
}

/**
 * Hands `work` everything that came while it was busy, and the burst that comes then, at most `most` at once and in the
 * order of coming. `work` settles each item itself, and does not reject.
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
