import { useEffect, useState } from 'react'

const usualPatienceMs = 150

/** Whether work has taken long enough to be announced. A message for less would only flicker. */
export function useIsSlow(isUnderWay: boolean, patienceMs = usualPatienceMs): boolean {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    if (!isUnderWay) return undefined
    const timer = setTimeout(() => setIsSlow(true), patienceMs)
    return () => {
      clearTimeout(timer)
      setIsSlow(false)
    }
  }, [isUnderWay, patienceMs])
  return isSlow
}
