import { Star } from 'lucide-react'
import { useWordsOf } from '../words/language.tsx'
import type { FavouriteRows } from './favourite-rows.ts'
import { favouriteWords } from './favourite-words.ts'
import type { Row } from './vault-contents.ts'

interface Props {
  readonly row: Row
  readonly favourites: FavouriteRows
  readonly onFocus: (id: string) => void
}

/** The button that makes a row a favourite. The right arrow reaches it after the last cell. */
export function RowStar({ row, favourites: { ids, turn }, onFocus }: Props) {
  const words = useWordsOf(favouriteWords)
  const { objectname, id } = row.object
  return (
    <button
      type="button"
      className="row-star"
      tabIndex={-1}
      aria-label={words.favouriteNamed(objectname)}
      aria-pressed={ids?.has(id) === true}
      disabled={ids === undefined}
      onFocus={() => onFocus(id)}
      onClick={() => turn(row)}
    >
      <Star aria-hidden />
    </button>
  )
}
