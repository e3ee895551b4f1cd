import { useCallback, useEffect, useState } from 'react'
import { isWorkUnderWay } from '../controls/work-under-way.ts'

/**
 * Milliseconds without activity until the page is locked, even if the session would last longer: the next person at the
 * browser finds it locked.
 */
export const idleMs = 10 * 60_000
const warnedMs = idleMs - 60_000
const lookMs = 5_000
/** Storage item that all tabs share: the time of the last activity, in milliseconds. */
const storageItem = 'strongroom.active'

/** `nearlyIdle`: less than a minute is left. */
type Idleness = 'active' | 'nearlyIdle' | 'idle'

export const noteActivity = (): void => localStorage.setItem(storageItem, String(Date.now()))

/** Milliseconds by the wall clock, so that a page is locked after the machine slept or its clock was set back. */
const idleFor = (): number => Math.abs(Date.now() - Number(localStorage.getItem(storageItem)))

/**
 * Calls `lock` after ten minutes in which no tab had activity or work under way. Returns whether that is near, and a
 * function that postpones it.
 */
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
    // A long upload counts as activity, but not once the time is over: a machine that slept meanwhile is locked.
    if (isWorkUnderWay() && idleFor() <= idleMs) noteActivity()
    const ms = idleFor()
    const idleness = ms <= warnedMs ? 'active' : ms <= idleMs ? 'nearlyIdle' : 'idle'
    tell(idleness)
    return idleness
  }
  /** Notes activity. It does not undo a lock, and in the last minute only the answer to the warning counts. */
  const note = (): void => {
    if (look() === 'active' && idleFor() > lookMs) noteActivity()
  }
  // A page that slept, was frozen or is reopened may come back after the end, before its timer runs.
  const returns = ['focus', 'pageshow', 'visibilitychange', 'storage'] as const
  const signs = ['pointerdown', 'keydown', 'click', 'wheel'] as const
  look()
  const timer = setInterval(look, lookMs)
  // Capturing, so that the page checks the time before any other listener sees the event.
  const first = { capture: true, passive: true }
  for (const sign of returns) addEventListener(sign, look, first)
  for (const sign of signs) addEventListener(sign, note, first)
  return () => {
    clearInterval(timer)
    for (const sign of returns) removeEventListener(sign, look, first)
    for (const sign of signs) removeEventListener(sign, note, first)
  }
}
