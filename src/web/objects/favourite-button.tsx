import { Star } from 'lucide-react'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { useAction } from '../controls/action.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useFavouriteChange, useFavourites } from '../vaults/favourite-reads.ts'
import { favouriteWords } from '../vaults/favourite-words.ts'
import { useWordsOf } from '../words/language.tsx'

interface Props {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
}

/**
 * The button that makes an object a favourite. It shows the pressed state at once, and returns to the stored one after
 * a refusal.
 */
export function FavouriteButton({ object, template }: Props) {
  const words = useWordsOf(favouriteWords)
  const { data } = useFavourites()
  const change = useFavouriteChange()
  const { isUnderWay, error, run } = useAction()
  const [wanted, setWanted] = useState(false)
  const isOne = data?.OBJECT.some(({ id }) => id === object.id)

  const set = (isWanted: boolean): Promise<boolean> =>
    run((signal) => {
      setWanted(isWanted)
      return change({ rows: [{ object, template }], isOne: isWanted }, signal)
    })
  return (
    <>
      {/* Invisible until the list is loaded, but with its space kept: a star that changes by itself would look
          pressed. */}
      <ToggleButton
        className={data ? 'button small star' : 'button small star unknown'}
        isSelected={isUnderWay ? wanted : isOne === true}
        onChange={(isWanted) => void set(isWanted)}
      >
        <Star aria-hidden />
        {words.favourite}
      </ToggleButton>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  )
}
