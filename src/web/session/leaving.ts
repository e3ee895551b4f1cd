import { useWatched, Watched } from '../controls/watched.ts'
import { call } from '../interface/calls.ts'
import { keepPreferences, readPreferences } from '../preferences.ts'
import { Refusal } from '../interface/refusal.ts'
import { sessionInvalid } from '../interface/transport.ts'
import { carryKey } from './remembered-key.ts'
import { withSessionLock } from './session-lock.ts'

/**
 * Storage item that all tabs share and that a restart of the browser keeps: the appliance has not confirmed a logout.
 */
const storageItem = 'strongroom.leaving'
const patienceMs = 10_000
const retryMs = 30_000

/** A logout was sent, and the appliance has not confirmed it. */
const unheard = new Watched(false)
let retry: ReturnType<typeof setTimeout> | undefined
export const useIsUnheard = (): boolean => useWatched(unheard)

/** Tells the appliance of a logout, and repeats that until it has confirmed it. */
export function leave(): void {
  localStorage.setItem(storageItem, 'yes')
  tellUnderLock()
}

/** Forgets the unconfirmed logout. Also called after a login, whose session replaces the one to be logged out. */
export function forgetLeaving(): void {
  localStorage.removeItem(storageItem)
  unheard.set(false)
}

/** Sends a logout that is not yet confirmed, if there is one. The caller holds the session lock. */
export async function tellLeaving(): Promise<void> {
  if (localStorage.getItem(storageItem) === null) return unheard.set(false)
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
  // The answer has cleared the storage of the page (Clear-Site-Data).
  keepPreferences(preferences)
  putKeyBack()
}

const tellUnderLock = (): void => void withSessionLock(tellLeaving)
addEventListener('online', tellUnderLock)
tellUnderLock()
