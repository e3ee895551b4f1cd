import { useEffect, useState } from 'react'

const patienceMs = 150

/** Whether something has taken long enough to be announced. A message for less would only flicker. */
export function useLate(isUnderWay: boolean): boolean {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    if (!isUnderWay) return undefined
    const timer = setTimeout(() => setIsLate(true), patienceMs)
    return () => {
      clearTimeout(timer)
      setIsLate(false)
    }
  }, [isUnderWay])
  return isLate
}
