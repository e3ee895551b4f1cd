import { useEffect, useEffectEvent } from 'react'
import { warn } from '../controls/announcement.tsx'
import { useWords } from '../words/language.tsx'

/** Files that were dropped into a vault, until the form that saves them takes them over. */
let waiting: readonly File[] = []

export function handOver(files: readonly File[]): void {
  waiting = files
}

export function takeOver(): readonly File[] {
  const taken = waiting
  waiting = []
  return taken
}

/** Whether files are dragged, and not rows of the page. */
export const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer =>
  transfer?.types.includes('Files') === true

/** The dropped files. Browsers give a folder as a file that cannot be read; it is left out. */
export function droppedOf({ items }: DataTransfer): { readonly files: readonly File[]; readonly hasFolder: boolean } {
  const dropped = Array.from(items).filter(({ kind }) => kind === 'file')
  const files = dropped
    .filter((item) => item.webkitGetAsEntry()?.isDirectory !== true)
    .map((item) => item.getAsFile())
    .filter((file) => file !== null)
  return { files, hasFolder: files.length < dropped.length }
}

/** Takes files that are dropped anywhere in the page. Otherwise the browser would leave the page and open them. */
export function useDroppedFiles(onFiles: (files: readonly File[]) => void, onOver?: (isOver: boolean) => void): void {
  const words = useWords()
  const take = useEffectEvent(onFiles)
  const refuseFolder = useEffectEvent(() => warn(words.folderDropped))
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
      const { files, hasFolder } = droppedOf(event.dataTransfer)
      if (hasFolder) refuseFolder()
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
