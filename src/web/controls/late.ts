import { useEffect, useState } from 'react'

const patienceMs = 150

/** Whether something has been under way for so long that it is worth saying: what comes sooner would only flicker. */
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
