import { useRef, useState } from 'react'
import { changeGivenUpBy, untilAborted } from '../interface/transport.ts'
import { useAction, type Action } from './action.ts'

export interface StoppableAction extends Action {
  /** Whether the person stopped the last task. That is not an error. */
  readonly isStopped: boolean
  readonly stop: () => void
}

/**
 * An action that the person can stop, which aborts the signal of its task. A change that has been sent runs on: the next
 * task begins once it is answered, so that it sees what came of it.
 */
export function useStoppableAction(): StoppableAction {
  const { isUnderWay, error, run } = useAction()
  const [isStopped, setIsStopped] = useState(false)
  const stopping = useRef<AbortController>(undefined)
  const runningOn = useRef<Promise<void>>(undefined)
  return {
    isUnderWay,
    error,
    isStopped,
    stop: () => stopping.current?.abort(),
    run: (task) =>
      run(async (gone) => {
        const stopper = new AbortController()
        stopping.current = stopper
        const signal = AbortSignal.any([gone, stopper.signal])
        setIsStopped(false)
        try {
          if (runningOn.current) await untilAborted(runningOn.current, signal)
          await task(signal)
        } catch (failure) {
          if (!stopper.signal.aborted) throw failure
          runningOn.current = changeGivenUpBy(signal) ?? runningOn.current
          setIsStopped(true)
        }
      }),
  }
}
