import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ListedFavourites, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { hasNumber } from '../interface/refusal.ts'

export const favouritesKey = ['favourites']

export const useFavourites = () =>
  useQuery({ queryKey: favouritesKey, queryFn: ({ signal }) => call('object.favourites', { signal }) })

interface Changed {
  readonly object: StoredObject
  readonly template?: StoredTemplate | undefined
}

interface Change {
  readonly rows: readonly Changed[]
  /** Whether the rows become favourites or cease to be. */
  readonly isOne: boolean
}

/**
 * Makes objects favourites, or removes them, one after the other. When it resolves, every view shows the change.
 * @throws Refusal
 */
export function useFavouriteChange(): (change: Change, signal: AbortSignal) => Promise<void> {
  const queries = useQueryClient()
  return async ({ rows, isOne }, signal) => {
    try {
      for (const row of rows) {
        const params = { objectid: row.object.id }
        // The person may have lost access to an object since the list was read. Then nothing is left to remove.
        if (isOne) await call('object.favourite', { params, body: { favourite: true }, signal })
        else await call('object.favourite.clear', { params, signal }).catch(unlessGone)
        // A list that is still loading may predate the change.
        await queries.cancelQueries({ queryKey: favouritesKey })
        queries.setQueryData<ListedFavourites>(favouritesKey, (before) => before && changed(before, row, isOne))
      }
    } finally {
      // A call that was cancelled with its view may still have been carried out.
      void queries.invalidateQueries({ queryKey: favouritesKey })
    }
  }
}

const notFound = 1610

/** Ignores that there is no such favourite: another page of the person may have removed it. @throws Refusal */
function unlessGone(error: unknown): void {
  if (!hasNumber(error, notFound)) throw error
}

function changed(before: ListedFavourites, { object, template }: Changed, isOne: boolean): ListedFavourites {
  const others = before.OBJECT.filter(({ id }) => id !== object.id)
  if (!isOne) return { ...before, OBJECT: others }
  return { ...before, OBJECT: [...others, object], TEMPLATES: [...before.TEMPLATES, ...(template ? [template] : [])] }
}
