import { Star } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { SharedVault, StoredObject } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { nameOrder } from '../words/name-order.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { useFavouriteChange, useFavourites } from './favourite-reads.ts'
import { favouriteWords } from './favourite-words.ts'
import { ObjectIcon } from './object-icon.tsx'

/** A long list shows so many at first, so that the vaults below it stay in sight. */
const mostShown = 12

/** The person's favourites from all vaults. Without any, it draws nothing. */
export function FavouriteList({ vaults }: { readonly vaults: readonly SharedVault[] }) {
  const { locale } = useWords()
  const words = useWordsOf(favouriteWords)
  const { data, error, refetch } = useFavourites()
  const [isWhole, setIsWhole] = useState(false)
  const change = useFavouriteChange()
  const action = useAction()
  const sorted = useMemo(() => {
    const compare = nameOrder(locale)
    return (data?.OBJECT ?? []).toSorted((a, b) => compare(a.objectname, b.objectname))
  }, [data, locale])
  const takeOff = (object: StoredObject): Promise<boolean> =>
    action.run(async (signal) => {
      await change({ rows: [{ object }], isOne: false }, signal)
      announce(words.takenOff(object.objectname))
    }, object.id)
  if (hidesData(error, data)) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (sorted.length === 0) return null
  return (
    <section className="favourites" aria-label={words.favourites}>
      <h2>{words.favourites}</h2>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <ul>
        {sorted.slice(0, isWhole ? undefined : mostShown).map((object) => (
          <li key={object.id}>
            <a href={`#/object/${object.id}`}>
              <ObjectIcon name={data?.TEMPLATES.find(({ id }) => id === object.templateid)?.info.ico} />
              <span className="texts">
                <span className="title">{object.objectname}</span>
                <span className="soft">{vaults.find(({ id }) => id === object.groupid)?.groupname ?? '…'}</span>
              </span>
            </a>
            <Button
              className="quiet"
              aria-label={words.takeOff(object.objectname)}
              onPress={() => void takeOff(object)}
            >
              <Star aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {!isWhole && sorted.length > mostShown && (
        <Button className="button small all-found" onPress={() => setIsWhole(true)}>
          {words.allFavourites(sorted.length)}
        </Button>
      )}
    </section>
  )
}
