import { useState } from 'react'
import { useStoppableAction } from '../controls/stoppable-action.ts'
import type { Saving } from './storing.ts'

/** Saves a form: a stoppable action that also tells which share is uploaded. */
export function useSaving() {
  const action = useStoppableAction()
  const [share, setShare] = useState(0)

  async function save(task: (saving: Saving) => Promise<void>): Promise<void> {
    await action.run((signal) => {
      setShare(0)
      return task({ signal, onProgress: setShare })
    })
  }
  return { ...action, share, save }
}
