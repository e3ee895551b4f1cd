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

let probesUnderWay = 0

/** Whether a probe has not ended. It may hang in a call to a disk, in a thread that `process.exit` would wait for. */
export const isProbing = (): boolean => probesUnderWay > 0

/** Runs `work`, and gives `late` where it takes too long. Work that still hangs is not started a second time. */
export function withProbeTimeout<T>(work: () => Promise<T>, late: T): () => Promise<T> {
  let underWay: Promise<T> | undefined
  async function probe(): Promise<T> {
    probesUnderWay += 1
    try {
      return await work()
    } finally {
      probesUnderWay -= 1
      underWay = undefined
    }
  }
  return () => withTimeout((underWay ??= probe()), timeoutMs, late)
}
