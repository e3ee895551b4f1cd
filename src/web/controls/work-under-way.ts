let underWay = 0

/** Whether work that a person has started is under way, which needs no activity of the person. */
export const isWorkUnderWay = (): boolean => underWay > 0

/** Returns a function that ends the work. */
export function beginWork(): () => void {
  underWay++
  return () => void underWay--
}
