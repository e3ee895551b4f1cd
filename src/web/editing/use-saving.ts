import { useRef, useState } from 'react'
import { useAction } from '../controls/action.ts'
import type { Saving } from './storing.ts'

/** Saves a form: reports the share that is uploaded, and can be cancelled. */
export function useSaving() {
  const { isUnderWay, error, run } = useAction()
  const [share, setShare] = useState(0)
  const [isCanceled, setIsCanceled] = useState(false)
  const own = useRef<AbortController>(undefined)

  /** One save at a time, so that a double click saves once. */
  async function save(task: (saving: Saving) => Promise<void>): Promise<void> {
    if (isUnderWay) return
    setShare(0)
    setIsCanceled(false)
    const controller = new AbortController()
    own.current = controller
    await run(async (gone) => {
      const signal = AbortSignal.any([gone, controller.signal])
      try {
        await task({ signal, onProgress: setShare })
      } catch (failure) {
        if (!controller.signal.aborted) throw failure
        setIsCanceled(true)
      }
    })
  }
  return { isUnderWay, error, share, isCanceled, save, cancel: () => own.current?.abort() }
}
