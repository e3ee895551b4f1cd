/**
 * Makes one of many wishes to have a file on the disk: whoever wishes while a sync is under way shares the next, because
 * that one may have begun too early.
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
