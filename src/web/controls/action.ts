import { useState } from 'react'
import { useUnmountSignal } from './unmount-signal.ts'
import { beginWork } from './work-under-way.ts'

export interface Action {
  readonly isUnderWay: boolean
  /** The error of the last task, if it failed. */
  readonly error: unknown
  /** Resolves to whether the task succeeded. Refuses a task while another one runs. */
  readonly run: (task: (signal: AbortSignal) => void | Promise<void>) => Promise<boolean>
}

/**
 * Runs the tasks of a view's buttons, one at a time. The end of the view or of the session aborts a task; the view gets
 * its error.
 */
export function useAction(): Action {
  const [error, setError] = useState<unknown>()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const unmounted = useUnmountSignal()
  async function run(task: (signal: AbortSignal) => void | Promise<void>): Promise<boolean> {
    if (isUnderWay) return false
    const { signal } = unmounted.current
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
