import { useRef, useState } from 'react'
import { useAction, type Action } from './action.ts'

export interface StoppableAction extends Action {
  /** Whether the person stopped the last task. That is not an error. */
  readonly isStopped: boolean
  readonly stop: () => void
}

/** An action that the person can stop, which aborts the signal of its task. */
export function useStoppableAction(): StoppableAction {
  const { isUnderWay, error, run } = useAction()
  const [isStopped, setIsStopped] = useState(false)
  const stopping = useRef<AbortController>(undefined)
  return {
    isUnderWay,
    error,
    isStopped,
    stop: () => stopping.current?.abort(),
    run: (task) =>
      run(async (gone) => {
        const stopper = new AbortController()
        stopping.current = stopper
        setIsStopped(false)
        try {
          await task(AbortSignal.any([gone, stopper.signal]))
        } catch (failure) {
          if (!stopper.signal.aborted) throw failure
          setIsStopped(true)
        }
      }),
  }
}
