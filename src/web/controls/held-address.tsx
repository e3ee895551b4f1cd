import { useEffect, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import type { BaseLocationHook } from 'wouter'
import { navigate, useHashLocation } from 'wouter/use-hash-location'
import { useWords } from '../words/spoken.tsx'
import { Question } from './question.tsx'
import { useWatched, Watched } from './watched.ts'

/** The address of the view that stays shown while it holds something unsaved, whatever the browser says. */
const held = new Watched<string | undefined>(undefined)

/** The address of the view that is shown. */
export const useShownAddress: BaseLocationHook = () => {
  const [address, go] = useHashLocation()
  return [useWatched(held) ?? address, go]
}

/** Goes on to an address although the view held what is not saved: it has just been, or is not to be. */
export function goOn(address: string): void {
  held.set(undefined)
  navigate(address, { replace: true })
}

/** What a person is asked before a view is left. */
export interface LeavingWords {
  readonly title: string
  readonly text: string
  readonly leave: string
}

/**
 * Asks before a view is left in which something is not saved: by a link, the browser's buttons, or another page.
 *
 * @param asked Where what would be lost was not typed.
 */
export function useHeldAddress(isUnsaved: boolean, asked?: LeavingWords): ReactNode {
  const words = useWords()
  const { title, text, leave } = asked ?? {
    title: words.unsavedTitle,
    text: words.unsavedText,
    leave: words.leaveUnsaved,
  }
  const [address] = useHashLocation()
  const kept = useWatched(held)
  useEffect(() => {
    if (!isUnsaved) return undefined
    // Read here: what has been gone to meanwhile is not this view.
    held.set(`/${location.hash.replace(/^#?\/?/, '')}`)
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => {
      held.set(undefined)
      removeEventListener('beforeunload', ask)
    }
  }, [isUnsaved])
  if (kept === undefined || kept === address) return null

  const stay = (): void => navigate(kept)
  const actions = (
    <>
      <Button className="button" autoFocus onPress={stay}>
        {words.stayHere}
      </Button>
      <Button className="button danger" onPress={() => held.set(undefined)}>
        {leave}
      </Button>
    </>
  )
  return (
    <Question title={title} actions={actions} onClose={stay}>
      <p>{text}</p>
    </Question>
  )
}
