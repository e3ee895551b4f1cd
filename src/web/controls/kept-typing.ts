import { useEffect } from 'react'
import { useWatched, Watched } from './watched.ts'

/** Unsaved input of a form. */
interface Typing {
  readonly form: object
  readonly userid: string
  /** Which form of its kind, for example the id of the object. */
  readonly place: string
  readonly value: unknown
}

/** Milliseconds that input is kept after the end of a session, enough for a pause. */
const mostMs = 60 * 60_000

/** Input of the form that is shown. */
let shown: Typing | undefined
/** Input of the form that was shown when the session ended. In the memory of the page only. */
const kept = new Watched<Typing | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined
/** Whether the session has ended since the last login. The form that it leaves may still be drawn after that. */
let hasEnded = false
const tabs = new BroadcastChannel('strongroom.typing')
tabs.addEventListener('message', forget)

export const useIsTypingKept = (): boolean => useWatched(kept) !== undefined

/** To be called when the session ends by itself: the input is kept until the person logs in again. */
export function keepTyping(): void {
  hasEnded = true
  if (shown === undefined) return
  kept.set(shown)
  clearTimeout(timer)
  timer = setTimeout(forget, mostMs)
}

/** To be called at a login: discards the input of another person. */
export function keepTypingOf(userid: string): void {
  hasEnded = false
  if (kept.get()?.userid !== userid) forget()
}

/** To be called when the person logs out: discards the input in all tabs. */
export function forgetTyping(): void {
  forget()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has the tabs of one origin alone
  tabs.postMessage('forget')
}

function forget(): void {
  clearTimeout(timer)
  shown = undefined
  kept.set(undefined)
}

/** A kind of form whose input outlasts the end of the session, for the same person. */
export class TypingForm<Value> {
  /** The input that the person had left here when the session ended. */
  at(userid: string | undefined, place: string): Value | undefined {
    const typing = kept.get()
    if (typing?.form !== this || typing.userid !== userid || typing.place !== place) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a form of this kind has kept it
    return typing.value as Value
  }

  /** Called by the shown form with its input; undefined while nothing would be lost. */
  useTyping(userid: string | undefined, place: string, value: Value | undefined): void {
    useEffect(() => {
      if (userid === undefined || value === undefined) return undefined
      const typing = { form: this, userid, place, value }
      shown = typing
      // The shown form holds it again.
      if (!hasEnded && this.at(userid, place) !== undefined) {
        clearTimeout(timer)
        kept.set(undefined)
      }
      return () => {
        if (shown === typing) shown = undefined
      }
    })
  }
}
