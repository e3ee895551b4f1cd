import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { call } from '../interface/calls.ts'
import { hasStatus, isVerdict } from '../interface/refusal.ts'
import { useWordsOf } from '../words/language.tsx'
import { TooManyObjects, tooLargeForOneCall } from './objects-per-call.tsx'
import { ChosenNames } from './chosen-names.tsx'
import { chosenWords } from './chosen-words.ts'
import { outermost } from './moving.ts'
import { allBelow, type Arranged, type Row } from './vault-contents.ts'

interface Props {
  readonly vaultid: string
  readonly arranged: Arranged
  readonly rows: readonly Row[]
  readonly onClose: () => void
}

/** Deletes several objects and the objects inside them. Objects that were deleted before a call failed stay deleted. */
export function DeleteDialog({ vaultid, arranged, rows, onClose }: Props) {
  const words = useWordsOf(chosenWords)
  const queries = useQueryClient()
  // The rows at the opening of the dialog: deleted objects leave the table meanwhile.
  const [asked] = useState(rows)
  const [roots] = useState(() => outermost(arranged, rows))
  const [left, setLeft] = useState(() => roots.map(({ object }) => object.id))
  const [doubtful, setDoubtful] = useState<string>()
  const [all] = useState(() => roots.reduce((sum, { object }) => sum + 1 + allBelow(arranged, object.id).length, 0))

  /** Deletes one object. A 404 after a call without an answer means that the lost call has deleted it. */
  async function deleteOne(objectid: string, signal: AbortSignal): Promise<void> {
    try {
      await call('object.delete', { params: { objectid }, body: { children: true }, signal })
    } catch (error) {
      if (!isVerdict(error)) setDoubtful(objectid)
      if (!(isVerdict(error) && hasStatus(error, 404) && objectid === doubtful)) throw error
    }
  }
  async function deleteAll(signal: AbortSignal): Promise<void> {
    let remaining = left
    try {
      for (const objectid of left) {
        await deleteOne(objectid, signal)
        remaining = remaining.slice(1)
        setLeft(remaining)
      }
    } finally {
      void queries.invalidateQueries({ queryKey: ['vault', vaultid] })
    }
    announce(words.deleted(all))
  }
  const below = all - asked.length
  const [heap] = useState(() => tooLargeForOneCall(arranged, roots))
  return (
    <FormDialog
      isDangerous
      title={words.deleteTitle(all)}
      submitText={heap ? undefined : words.delete}
      onSubmit={deleteAll}
      onClose={onClose}
    >
      <ChosenNames rows={asked} />
      {below > 0 && <p>{words.withBelow(below)}</p>}
      {heap ? <TooManyObjects heap={heap} /> : <p>{words.deleteText}</p>}
      <p className="soft" role="status">
        {left.length < roots.length && words.progress(roots.length - left.length, roots.length)}
      </p>
    </FormDialog>
  )
}
