import { useWatched, Watched } from '../controls/watched.ts'
import { call } from '../interface/calls.ts'
import { keepPreferences, readPreferences } from '../preferences.ts'
import { hasNumber } from '../interface/refusal.ts'
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
const pending = new Watched(false)
let retry: ReturnType<typeof setTimeout> | undefined
export const useIsLogoutPending = (): boolean => useWatched(pending)

/** Sends a logout, and repeats it until the appliance has confirmed it. */
export function sendLogout(): void {
  localStorage.setItem(storageItem, 'yes')
  sendUnderLock()
}

/** Forgets the unconfirmed logout. Also called after a login, whose session replaces the one to be logged out. */
export function forgetPendingLogout(): void {
  localStorage.removeItem(storageItem)
  pending.set(false)
}

/** Sends the unconfirmed logout, if there is one. The caller holds the session lock. */
export async function sendPendingLogout(): Promise<void> {
  if (localStorage.getItem(storageItem) === null) return pending.set(false)
  const preferences = readPreferences()
  const putKeyBack = carryKey()
  try {
    await call('auth.logout', { patienceMs })
  } catch (error) {
    if (!hasNumber(error, sessionInvalid)) {
      clearTimeout(retry)
      retry = setTimeout(sendUnderLock, retryMs)
      return pending.set(true)
    }
  }
  forgetPendingLogout()
  // The answer has cleared the storage of the page (Clear-Site-Data).
  keepPreferences(preferences)
  putKeyBack()
}

const sendUnderLock = (): void => void withSessionLock(sendPendingLogout)
addEventListener('online', sendUnderLock)
sendUnderLock()
