/** Resolves to the answer, or to `late` where it takes longer than `timeoutMs` or fails. */
export function withTimeout<T, Late>(answer: Promise<T>, timeoutMs: number, late: Late): Promise<T | Late> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(late), timeoutMs)
    const settle = (value: T | Late): void => {
      clearTimeout(timer)
      resolve(value)
    }
    answer.then(settle, () => settle(late))
  })
}

/** Disks normally answer far sooner: after this time one counts as hanging (a network disk, a controller). */
const timeoutMs = 1_500

/** Probes that have taken longer than `timeoutMs` and not ended. */
const hanging = new Set<Promise<unknown>>()

/** Whether a probe hangs in a call to a disk, in a thread that `process.exit` would wait for. */
export const hasHangingProbe = (): boolean => hanging.size > 0

/** Runs `work`, and gives `late` where it takes too long. Work that still hangs is not started a second time. */
export function withProbeTimeout<T>(work: () => Promise<T>, late: T): () => Promise<T> {
  let underWay: Promise<T> | undefined
  function begin(): Promise<T> {
    const probe = work()
    const timer = setTimeout(() => hanging.add(probe), timeoutMs)
    const end = () => {
      clearTimeout(timer)
      hanging.delete(probe)
      underWay = undefined
    }
    probe.then(end, end)
    return probe
  }
  return () => withTimeout((underWay ??= begin()), timeoutMs, late)
}
