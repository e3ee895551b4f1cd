import { withTimeout } from './timeout.ts'

/** Disks normally answer far sooner: after this time one counts as hanging (a network disk, a controller). */
const timeoutMs = 1_500

/** Runs `work`, and gives `late` where it takes too long. Work that still hangs is not started a second time. */
export function withProbeTimeout<T>(work: () => Promise<T>, late: T): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= work().finally(() => (underWay = undefined))
    return withTimeout(underWay, timeoutMs, late)
  }
}
