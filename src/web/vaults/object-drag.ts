import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type DragEvent } from 'react'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { useWordsOf } from '../words/language.tsx'
import { chosenWords } from './chosen-words.ts'
import { moveObjects, outermost, targetsOf } from './moving.ts'
import type { Arranged, Row } from './vault-contents.ts'

/** Drags rows into a folder with the mouse. For the keyboard there is a dialog. */
export interface ObjectDrag {
  readonly begin: (rows: readonly Row[], event: DragEvent) => void
  /** Properties of an element that represents a folder. */
  readonly dropProps: (folderid: string) => object
  /** The error of the last move. */
  readonly error: unknown
}

/** A type that no other program reads, so that dragging takes no text of a vault out of the page. */
const dragType = 'application/x-strongroom-objects'

const isOurs = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes(dragType)

export function useObjectDrag(vaultid: string, arranged: Arranged): ObjectDrag {
  const words = useWordsOf(chosenWords)
  const queries = useQueryClient()
  const { error, run } = useAction()
  const [over, setOver] = useState<string>()
  const dragged = useRef<readonly Row[]>([])

  async function drop(folderid: string): Promise<void> {
    setOver(undefined)
    const rows = dragged.current
    dragged.current = []
    const ids = rows.map(({ object }) => object.id)
    const to = { vaultid, folderid }
    if (await run((signal) => moveObjects(queries, { ids, from: vaultid, to, signal })))
      announce(words.moved(ids.length))
  }
  return {
    error,
    begin(rows, { dataTransfer }) {
      dragged.current = outermost(arranged, rows)
      dataTransfer.clearData()
      dataTransfer.setData(dragType, '')
      dataTransfer.effectAllowed = 'move'
    },
    dropProps: (folderid) => ({
      'data-drop': over === folderid ? true : undefined,
      onDragOver(event: DragEvent): void {
        if (!isOurs(event) || !targetsOf(arranged, dragged.current, 'move')(folderid)) return
        event.preventDefault()
        setOver(folderid)
      },
      onDragLeave: () => setOver(undefined),
      onDrop(event: DragEvent): void {
        // Dropped files are left to the surrounding elements.
        if (!isOurs(event)) return
        event.preventDefault()
        void drop(folderid)
      },
    }),
  }
}
