import { useEffect, useState, type ReactNode } from 'react'
import type { BaseLocationHook } from 'wouter'
import { navigate, useHashLocation } from 'wouter/use-hash-location'
import { LeavingQuestion, type LeavingWords } from './leaving-question.tsx'
import { useWatched, Watched } from './watched.ts'

interface Held {
  /** Address of a view with unsaved input. It stays shown, whatever address the browser has. */
  readonly address: string
  /** The forms with unsaved input. The last one, which may be in a dialog over the others, asks. */
  readonly forms: readonly object[]
}
const held = new Watched<Held | undefined>(undefined)

/** The address of the shown view. */
export const useShownAddress: BaseLocationHook = () => {
  const [address, go] = useHashLocation()
  return [useWatched(held)?.address ?? address, go]
}

/** Returns a function that ends the hold of this form. */
function hold(form: object): () => void {
  // Read at the first change, when the browser's address is still that of the view.
  const { address, forms } = held.get() ?? { address: addressOfBrowser(), forms: [] }
  held.set({ address, forms: [...forms, form] })
  return () => {
    const now = held.get()
    const others = now?.forms.filter((one) => one !== form) ?? []
    held.set(now && others.length > 0 ? { ...now, forms: others } : undefined)
  }
}

/**
 * Goes to an address without asking, because the input was just saved or is to be discarded. A person who has left
 * meanwhile comes to where they were going.
 */
export function goOn(address: string): void {
  const isLeaving = (held.get()?.address ?? addressOfBrowser()) !== addressOfBrowser()
  held.set(undefined)
  if (!isLeaving) navigate(address, { replace: true })
}

const addressOfBrowser = (): string => `/${location.hash.replace(/^#?\/?/, '')}`

/**
 * Whether a dialog asks because of Escape, and the function that sets it. Once the browser's buttons lead elsewhere, the
 * question of `useHeldAddress` takes the place of this one, and its answer is the answer to both.
 */
export function useAskedByEscape(): [boolean, (isAsked: boolean) => void] {
  const [isAsked, setIsAsked] = useState(false)
  useEffect(() => {
    const takeBack = (): void => setIsAsked(false)
    addEventListener('hashchange', takeBack)
    return () => removeEventListener('hashchange', takeBack)
  }, [])
  return [isAsked, setIsAsked]
}

/**
 * Asks before the person leaves a view with unsaved input by a link, the browser's buttons or another page. Returns the
 * question.
 * @param options.isSaving The input is being saved: the question waits for a failure.
 * @param options.asked The question's texts, where something other than typed input would be lost.
 */
export function useHeldAddress(
  isUnsaved: boolean,
  { isSaving = false, asked }: { readonly isSaving?: boolean; readonly asked?: LeavingWords } = {},
): ReactNode {
  const [address] = useHashLocation()
  const kept = useWatched(held)
  const [form] = useState({})
  useEffect(() => {
    if (!isUnsaved) return undefined
    const letGo = hold(form)
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => {
      letGo()
      removeEventListener('beforeunload', ask)
    }
  }, [isUnsaved, form])
  if (kept === undefined || kept.address === address || kept.forms.at(-1) !== form || isSaving) return null

  return <LeavingQuestion asked={asked} onStay={() => navigate(kept.address)} onLeave={() => held.set(undefined)} />
}
