import { useMemo } from 'react'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { useWordsOf } from '../words/language.tsx'
import { useFavouriteChange, useFavourites } from './favourite-reads.ts'
import { favouriteWords } from './favourite-words.ts'
import type { Row } from './vault-contents.ts'

/** Which rows of a table are favourites, and how to change that. */
export interface FavouriteRows {
  /** Undefined until the list is loaded. */
  readonly ids: ReadonlySet<string> | undefined
  readonly turn: (row: Row) => void
  /** Makes all rows favourites, or none if all of them are. */
  readonly turnAll: (rows: readonly Row[]) => void
  /** The error of the last change. */
  readonly error: unknown
}

export function useFavouriteRows(): FavouriteRows {
  const words = useWordsOf(favouriteWords)
  const { data } = useFavourites()
  const change = useFavouriteChange()
  const { error, run } = useAction()
  const ids = useMemo(() => data && new Set(data.OBJECT.map(({ id }) => id)), [data])
  const turnAll = (rows: readonly Row[]): void => {
    const others = rows.filter(({ object }) => ids?.has(object.id) !== true)
    const isOne = others.length > 0
    const changed = isOne ? others : rows
    void run(
      async (signal) => {
        await change({ rows: changed, isOne }, signal)
        const [first] = changed
        if (rows.length > 1) announce(isOne ? words.areFavourites(rows.length) : words.areNone(rows.length))
        else if (first) announce((isOne ? words.isFavourite : words.takenOff)(first.object.objectname))
      },
      rows.map(({ object }) => object.id).join(),
    )
  }
  return { ids, turn: (row) => turnAll([row]), turnAll, error }
}
