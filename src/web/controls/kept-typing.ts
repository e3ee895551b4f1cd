import { useEffect } from 'react'
import { useWatched, Watched } from './watched.ts'

/** What is typed in a form and not saved. */
interface Typing {
  readonly form: object
  readonly userid: string
  /** Which of the forms of its kind. */
  readonly place: string
  readonly value: unknown
}

/** A pause is not longer; what a person has forgotten goes. */
const mostMs = 60 * 60_000

/** Of the form that is shown. */
let shown: Typing | undefined
/** Of the form that was shown when the session ended: in the memory of the page alone. */
const kept = new Watched<Typing | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined
const tabs = new BroadcastChannel('strongroom.typing')
tabs.addEventListener('message', forget)

export const useIsTypingKept = (): boolean => useWatched(kept) !== undefined

/** The session has ended, and not by its person: what was typed waits until they come back. */
export function keepTyping(): void {
  if (shown === undefined) return
  kept.set(shown)
  clearTimeout(timer)
  timer = setTimeout(forget, mostMs)
}

/** This person has come. */
export function keepTypingOf(userid: string): void {
  if (kept.get()?.userid !== userid) forget()
}

/** The person has gone: nothing stays, in no tab. */
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

/** A kind of form, whose typing outlives the session for the same person. */
export class TypingForm<Value> {
  /** What the person had typed here when the session ended. */
  at(userid: string | undefined, place: string): Value | undefined {
    const typing = kept.get()
    if (typing?.form !== this || typing.userid !== userid || typing.place !== place) return undefined
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a form of this kind has kept it
    return typing.value as Value
  }

  /** To be called by the form that is shown; undefined while nothing would be lost. */
  useTyping(userid: string | undefined, place: string, value: Value | undefined): void {
    useEffect(() => {
      if (userid === undefined || value === undefined) return undefined
      const typing = { form: this, userid, place, value }
      shown = typing
      // It is here again.
      if (this.at(userid, place) !== undefined) kept.set(undefined)
      return () => {
        if (shown === typing) shown = undefined
      }
    })
  }
}
