import { inTime } from './in-time.ts'

/** A disk that answers later stands still (a network, a controller): all who wait for it would. */
const patienceMs = 1_500

/** Does the work, and gives `silent` where it takes longer; what is under way is not begun again. */
export function patient<T>(work: () => Promise<T>, silent: T): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= work().finally(() => (underWay = undefined))
    return inTime(underWay, patienceMs, silent)
  }
}
