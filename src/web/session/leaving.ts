import { useWatched, Watched } from '../controls/watched.ts'
import { call } from '../interface/calls.ts'
import { keepPreferences, readPreferences } from '../preferences.ts'
import { Refusal } from '../interface/refusal.ts'
import { sessionInvalid } from '../interface/transport.ts'
import { carryKey } from './remembered-key.ts'
import { withSessionLock } from './session-lock.ts'

/** In all tabs, and for the browser's next start: the appliance has not heard of a logout. */
const place = 'strongroom.leaving'
const patienceMs = 10_000
const retryMs = 30_000

/** It was told, and has not said that it heard. */
const unheard = new Watched(false)
let retry: ReturnType<typeof setTimeout> | undefined
export const useIsUnheard = (): boolean => useWatched(unheard)

/** Tells the appliance of a logout as soon as it can. */
export function leave(): void {
  localStorage.setItem(place, 'yes')
  tellUnderLock()
}

/** Also after a login, which puts another session into the place of the one that was left. */
export function forgetLeaving(): void {
  localStorage.removeItem(place)
  unheard.set(false)
}

/** Tells of a logout that was not heard yet, if there is one. To be called under the session lock. */
export async function tellLeaving(): Promise<void> {
  if (localStorage.getItem(place) === null) return unheard.set(false)
  const preferences = readPreferences()
  const putKeyBack = carryKey()
  try {
    await call('auth.logout', { patienceMs })
  } catch (error) {
    const isOver = error instanceof Refusal && error.number === sessionInvalid
    if (!isOver) {
      clearTimeout(retry)
      retry = setTimeout(tellUnderLock, retryMs)
      return unheard.set(true)
    }
  }
  forgetLeaving()
  // The answer has cleared what the browser kept of the page (Clear-Site-Data).
  keepPreferences(preferences)
  putKeyBack()
}

const tellUnderLock = (): void => void withSessionLock(tellLeaving)
addEventListener('online', tellUnderLock)
tellUnderLock()
