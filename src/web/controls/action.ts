import { useState } from 'react'
import { useGone } from './gone-signal.ts'
import { beginWork } from './work.ts'

export interface Action {
  readonly isUnderWay: boolean
  /** Why the last one did not succeed. */
  readonly error: unknown
  /** Resolves to whether the task has succeeded. While one is under way another is not begun. */
  readonly run: (task: (signal: AbortSignal) => void | Promise<void>) => Promise<boolean>
}

/** What a person does by a button: one at a time, given up with the view or the session, its error kept for the view. */
export function useAction(): Action {
  const [error, setError] = useState<unknown>()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const gone = useGone()
  async function run(task: (signal: AbortSignal) => void | Promise<void>): Promise<boolean> {
    if (isUnderWay) return false
    const { signal } = gone.current
    setError(undefined)
    setIsUnderWay(true)
    const endWork = beginWork()
    try {
      await task(signal)
      return !signal.aborted
    } catch (refusal) {
      setError(refusal)
      return false
    } finally {
      endWork()
      setIsUnderWay(false)
    }
  }
  return { isUnderWay, error, run }
}
