import { Trash2, X } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useWordsOf } from '../words/spoken.tsx'
import { chosenWords } from './chosen-words.ts'
import type { Selection } from './selection.ts'
import type { Arranged } from './vault-contents.ts'

const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }))

interface Props {
  readonly vaultid: string
  readonly arranged: Arranged
  readonly selection: Selection
}

/** What can be done with the rows that are chosen. */
export function ChosenBar({ vaultid, arranged, selection }: Props) {
  const words = useWordsOf(chosenWords)
  const [isDeleting, setIsDeleting] = useState(false)
  const { chosen, clear } = selection
  return (
    <>
      {chosen.length > 0 && (
        <div className="chosen" role="group" aria-label={words.chosenObjects}>
          <span role="status">{words.chosen(chosen.length)}</span>
          <Button className="button small" onPress={() => setIsDeleting(true)}>
            <Trash2 aria-hidden />
            {words.delete}
          </Button>
          <Button className="quiet" aria-label={words.clear} onPress={clear}>
            <X aria-hidden />
          </Button>
        </div>
      )}
      {isDeleting && (
        <Suspense>
          <DeleteDialog vaultid={vaultid} arranged={arranged} rows={chosen} onClose={() => setIsDeleting(false)} />
        </Suspense>
      )}
    </>
  )
}
