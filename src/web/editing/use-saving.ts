import { useRef, useState } from 'react'
import { useAction } from '../controls/action.ts'
import type { Saving } from './storing.ts'

/** A save under way: how much has left the browser, and how to give it up. */
export function useSaving() {
  const { isUnderWay, error, run } = useAction()
  const [share, setShare] = useState(0)
  const [isCanceled, setIsCanceled] = useState(false)
  const own = useRef<AbortController>(undefined)

  /** One at a time: what is pressed twice is saved once. */
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
