import { useRef, useState } from 'react'
import { useUnmountSignal } from './unmount-signal.ts'
import { beginWork } from './work-under-way.ts'

type Task = (signal: AbortSignal) => void | Promise<void>

export interface Action {
  readonly isUnderWay: boolean
  /** The error of the last task, if it failed. */
  readonly error: unknown
  /**
   * Resolves to whether the task succeeded. Refuses one that runs or waits already; one for another row of a list waits
   * for its turn.
   */
  readonly run: (task: Task, row?: string) => Promise<boolean>
}

/**
 * Runs the tasks of a view's buttons, one at a time. The end of the view or of the session aborts a task; the view gets
 * its error.
 */
export function useAction(): Action {
  const [error, setError] = useState<unknown>()
  const [isUnderWay, setIsUnderWay] = useState(false)
  const unmounted = useUnmountSignal()
  /** The tasks that run or wait, by their rows, in their order. */
  const { current: begun } = useRef(new Map<string, Promise<boolean>>())
  function run(task: Task, row = ''): Promise<boolean> {
    if (begun.has(row)) return Promise.resolve(false)
    const outcome = perform(task, row, [...begun.values()].at(-1))
    begun.set(row, outcome)
    return outcome
  }
  async function perform(task: Task, row: string, before: Promise<boolean> | undefined): Promise<boolean> {
    const { signal } = unmounted.current
    // That of a row before stays to be read while others follow.
    if (begun.size === 0) setError(undefined)
    setIsUnderWay(true)
    const endWork = beginWork()
    try {
      // Also before the first task: it is among those begun when it ends.
      await before
      await task(signal)
      return !signal.aborted
    } catch (refusal) {
      setError(refusal)
      return false
    } finally {
      endWork()
      begun.delete(row)
      setIsUnderWay(begun.size > 0)
    }
  }
  return { isUnderWay, error, run }
}
