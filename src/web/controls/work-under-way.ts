import { Watched } from './watched.ts'

/** Number of tasks that the person has started and that are under way. */
export const workUnderWay = new Watched(0)

/** Whether work that a person has started is under way, which needs no activity of the person. */
export const isWorkUnderWay = (): boolean => workUnderWay.get() > 0

/** Returns a function that ends the work. */
export function beginWork(): () => void {
  workUnderWay.set(workUnderWay.get() + 1)
  return () => workUnderWay.set(workUnderWay.get() - 1)
}
