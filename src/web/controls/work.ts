let underWay = 0

/** Whether something goes on that a person has begun, and need not watch. */
export const isWorkUnderWay = (): boolean => underWay > 0

/** Returns how to say that it is done. */
export function beginWork(): () => void {
  underWay++
  return () => void underWay--
}
