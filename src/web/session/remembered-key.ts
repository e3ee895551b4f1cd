import { useRef, useState } from 'react'
import { KeptJson } from '../controls/kept-json.ts'
import { withSessionLock } from './session-lock.ts'

const kept = new KeptJson<unknown>(localStorage, 'strongroom.applicationKey')

/** The application key that a person had this browser remember, for the next one, too. */
function readKey(): string | undefined {
  const key = kept.read()
  return typeof key === 'string' ? key : undefined
}

/** At once, and once more after a logout that is under way in any tab, which puts back what there was before it. */
function forgetKey(): void {
  kept.write(undefined)
  void withSessionLock(() => {
    // What this tab has not heard of yet it would not remove: browsers tell tabs of each other's writes a moment later.
    kept.write(null)
    kept.write(undefined)
    return Promise.resolve()
  })
}

/** A logout clears what the browser keeps of the page: the result writes the key again. */
export function carryKey(): () => void {
  const carried = readKey()
  return () => kept.write(carried)
}

export interface RememberedKey {
  /** What the browser remembered when the login was shown. */
  readonly known: string | undefined
  readonly isRemembered: boolean
  /** No longer: it is forgotten at once. */
  readonly remember: (isRemembered: boolean) => void
  /** To be told of a key that has just been good. */
  readonly keep: (key: string) => void
}

/** Of one login. */
export function useRememberedKey(): RememberedKey {
  const [known] = useState(readKey)
  const [isRemembered, setIsRemembered] = useState(known !== undefined)
  // As the tick is when the answer comes, and not as it was when the form was sent.
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
