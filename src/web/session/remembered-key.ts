import { useState } from 'react'
import { KeptJson } from '../controls/kept-json.ts'

const kept = new KeptJson<unknown>(localStorage, 'strongroom.applicationKey')

/** What a logout that is under way puts back. */
let carried: string | undefined

/** The application key that a person had this browser remember, for the next one, too. */
function readKey(): string | undefined {
  const key = kept.read()
  return typeof key === 'string' ? key : undefined
}

function write(key: string | undefined): void {
  carried = key
  kept.write(key)
}

/** A logout clears what the browser keeps of the page: the result writes the key again, unless it was forgotten meanwhile. */
export function carryKey(): () => void {
  carried = readKey()
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
  return {
    known,
    isRemembered,
    remember(next) {
      setIsRemembered(next)
      if (!next) write(undefined)
    },
    keep: (key) => write(isRemembered ? key : undefined),
  }
}
