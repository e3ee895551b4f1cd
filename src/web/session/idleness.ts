import { useCallback, useEffect, useState } from 'react'
import { isWorkUnderWay } from '../controls/work.ts'

/** Also where the session would last longer: whoever comes to the page next finds it locked. */
export const idleMs = 10 * 60_000
const warnedMs = idleMs - 60_000
const lookMs = 5_000
/** In all tabs: when something was done last. */
const place = 'strongroom.active'

/** `nearlyIdle`: within a minute of the end. */
type Idleness = 'active' | 'nearlyIdle' | 'idle'

export const noteActivity = (): void => localStorage.setItem(place, String(Date.now()))

/** By the clock, so that a machine that slept comes back to a page that is locked; so does one whose clock was set back. */
const idleFor = (): number => Math.abs(Date.now() - Number(localStorage.getItem(place)))

/** Locks when nothing was done, and nothing was under way, in any tab for ten minutes. Whether that is near, and how to put it off. */
export function useIdleness(isOn: boolean, lock: () => void): readonly [isNear: boolean, stay: () => void] {
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    if (!isOn) return undefined
    const stop = watchIdleness((idleness) => {
      setIsNear(idleness === 'nearlyIdle')
      if (idleness === 'idle') lock()
    })
    return () => {
      stop()
      setIsNear(false)
    }
  }, [isOn, lock])
  const stay = useCallback(() => {
    noteActivity()
    setIsNear(false)
  }, [])
  return [isNear, stay]
}

function watchIdleness(tell: (idleness: Idleness) => void): () => void {
  const look = (): Idleness => {
    // An upload may take longer than that; what comes back after the end is locked all the same.
    if (isWorkUnderWay() && idleFor() <= idleMs) noteActivity()
    const ms = idleFor()
    const idleness = ms <= warnedMs ? 'active' : ms <= idleMs ? 'nearlyIdle' : 'idle'
    tell(idleness)
    return idleness
  }
  /** What is done after the end does not undo it, and near it the question is to be answered. */
  const note = (): void => {
    if (look() === 'active' && idleFor() > lookMs) noteActivity()
  }
  // A page that slept, was frozen or is opened anew may come back after the end, and its timer later still.
  const returns = ['focus', 'pageshow', 'visibilitychange', 'storage'] as const
  const signs = ['pointerdown', 'keydown', 'click', 'wheel'] as const
  look()
  const timer = setInterval(look, lookMs)
  // The page looks before anything in it hears of the sign.
  const first = { capture: true, passive: true }
  for (const sign of returns) addEventListener(sign, look, first)
  for (const sign of signs) addEventListener(sign, note, first)
  return () => {
    clearInterval(timer)
    for (const sign of returns) removeEventListener(sign, look, first)
    for (const sign of signs) removeEventListener(sign, note, first)
  }
}
