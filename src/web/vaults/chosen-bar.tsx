import { CopyPlus, FolderInput, Star, Trash2, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { SharedVault } from '../interface/calls.ts'
import { partOf } from '../controls/view-of.tsx'
import { useWordsOf } from '../words/language.tsx'
import { chosenWords } from './chosen-words.ts'
import type { FavouriteRows } from './favourite-rows.ts'
import { favouriteWords } from './favourite-words.ts'
import type { Relocation } from './moving.ts'
import type { Selection } from './selection.ts'
import type { Arranged } from './vault-contents.ts'

const [RelocationDialog] = partOf(async () => (await import('./relocation-dialog.tsx')).RelocationDialog)
const [DeleteDialog] = partOf(async () => (await import('./delete-dialog.tsx')).DeleteDialog)

interface Props {
  readonly vault: SharedVault
  readonly arranged: Arranged
  readonly selection: Selection
  readonly favourites: FavouriteRows
}

/** The actions for the chosen rows. */
export function ChosenBar({ vault, arranged, selection, favourites }: Props) {
  const words = useWordsOf(chosenWords)
  const ofFavourites = useWordsOf(favouriteWords)
  const [act, setAct] = useState<Relocation | 'delete'>()
  const onClose = (): void => setAct(undefined)
  const { chosen, clear } = selection
  const areAll = chosen.every(({ object }) => favourites.ids?.has(object.id))
  return (
    <>
      {chosen.length > 0 && (
        <div className="chosen" role="group" aria-label={words.chosenObjects}>
          <span role="status">{words.chosen(chosen.length)}</span>
          <Button className="button small" onPress={() => setAct('move')}>
            <FolderInput aria-hidden />
            {words.move}
          </Button>
          <Button className="button small" onPress={() => setAct('copy')}>
            <CopyPlus aria-hidden />
            {words.copyTo}
          </Button>
          <Button className="button small" onPress={() => setAct('delete')}>
            <Trash2 aria-hidden />
            {words.delete}
          </Button>
          <Button
            className="button small"
            isDisabled={favourites.ids === undefined}
            onPress={() => favourites.turnAll(chosen)}
          >
            <Star aria-hidden />
            {areAll ? ofFavourites.removeAll : ofFavourites.addAll}
          </Button>
          <Button className="quiet" aria-label={words.clear} onPress={clear}>
            <X aria-hidden />
          </Button>
        </div>
      )}
      {act === 'delete' && <DeleteDialog vaultid={vault.id} arranged={arranged} rows={chosen} onClose={onClose} />}
      {(act === 'move' || act === 'copy') && (
        <RelocationDialog act={act} vault={vault} arranged={arranged} rows={chosen} onClose={onClose} />
      )}
    </>
  )
}
