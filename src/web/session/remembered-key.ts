import { useRef, useState } from 'react'
import { KeptJson } from '../controls/kept-json.ts'
import { withSessionLock } from './session-lock.ts'

const kept = new KeptJson<unknown>(localStorage, 'strongroom.applicationKey')

/** The application key that this browser remembers because a person asked for it. It outlasts the logout. */
function readKey(): string | undefined {
  const key = kept.read()
  return typeof key === 'string' ? key : undefined
}

/** Forgets the key now, and again after a logout that is under way in any tab, which would write it back. */
function forgetKey(): void {
  kept.write(undefined)
  void withSessionLock(() => {
    // Browsers pass writes between tabs with a delay, and removing an item that this tab does not see yet has no
    // effect. So an item is written first.
    kept.write(null)
    kept.write(undefined)
    return Promise.resolve()
  })
}

/** To be called before a logout, whose answer clears the storage. The returned function writes the key back. */
export function carryKey(): () => void {
  const carried = readKey()
  return () => kept.write(carried)
}

export interface RememberedKey {
  /** The remembered key at the time when the login form appeared. */
  readonly known: string | undefined
  readonly isRemembered: boolean
  /** `false` forgets the key immediately. */
  readonly remember: (isRemembered: boolean) => void
  /** To be called with a key that a login has just accepted. */
  readonly keep: (key: string) => void
}

/** The remembered application key, for one login form. */
export function useRememberedKey(): RememberedKey {
  const [known] = useState(readKey)
  const [isRemembered, setIsRemembered] = useState(known !== undefined)
  // The state of the checkbox when the answer arrives, not when the form was sent.
  const isTicked = useRef(isRemembered)
  return {
    known,
    isRemembered,
    remember(next) {
      isTicked.current = next
      setIsRemembered(next)
      if (!next) forgetKey()
    },
    keep: (key) => kept.write(isTicked.current ? key : undefined),
  }
}
