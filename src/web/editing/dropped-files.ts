import { useEffect, useEffectEvent } from 'react'

/** Files that were dropped into a vault, until the form that saves them is shown. */
let waiting: readonly File[] = []

export function handOver(files: readonly File[]): void {
  waiting = files
}

export function takeOver(): readonly File[] {
  const taken = waiting
  waiting = []
  return taken
}

/** A drag of rows of the page itself has none. */
export const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer =>
  transfer?.types.includes('Files') === true

/** The files of a drop, without folders: what a browser calls the file of a folder cannot be read. */
export const filesOf = ({ items }: DataTransfer): File[] =>
  Array.from(items)
    .filter((item) => item.kind === 'file' && item.webkitGetAsEntry()?.isDirectory !== true)
    .map((item) => item.getAsFile())
    .filter((file) => file !== null)

/** Takes files that are dropped anywhere in the page: the browser would go to them, and leave the page. */
export function useDroppedFiles(onFiles: (files: readonly File[]) => void, onOver?: (isOver: boolean) => void): void {
  const take = useEffectEvent(onFiles)
  const tell = useEffectEvent((isOver: boolean) => onOver?.(isOver))
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      tell(true)
    }
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) tell(false)
    }
    const drop = (event: DragEvent): void => {
      tell(false)
      if (!hasFiles(event.dataTransfer)) return
      event.preventDefault()
      const files = filesOf(event.dataTransfer)
      if (files.length > 0) take(files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
}
