import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ListedFavourites, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { Refusal } from '../interface/refusal.ts'

export const favouritesKey = ['favourites']

export const useFavourites = () =>
  useQuery({ queryKey: favouritesKey, queryFn: ({ signal }) => call('object.favourites', { signal }) })

interface Changed {
  readonly object: StoredObject
  readonly template?: StoredTemplate | undefined
}

interface Change {
  readonly rows: readonly Changed[]
  /** Whether they are favourites from now on. */
  readonly isOne: boolean
}

/**
 * Makes objects favourites, or no longer, one after the other; once it resolves, every view knows it.
 * @throws Refusal
 */
export function useFavouriteChange(): (change: Change, signal: AbortSignal) => Promise<void> {
  const queries = useQueryClient()
  return async ({ rows, isOne }, signal) => {
    try {
      for (const row of rows) {
        const params = { objectid: row.object.id }
        // What is taken off may be out of the person's reach since the list was read.
        if (isOne) await call('object.favourite', { params, body: { favourite: true }, signal })
        else await call('object.favourite.clear', { params, signal }).catch(unlessGone)
        // A list that was requested before this change could arrive afterwards.
        await queries.cancelQueries({ queryKey: favouritesKey })
        queries.setQueryData<ListedFavourites>(favouritesKey, (before) => before && changed(before, row, isOne))
      }
    } finally {
      // Also a call that was given up with its view may have been carried out.
      void queries.invalidateQueries({ queryKey: favouritesKey })
    }
  }
}

const notFound = 1610

/** Another page of the person may have taken it off. @throws Refusal */
function unlessGone(error: unknown): void {
  if (!(error instanceof Refusal) || error.number !== notFound) throw error
}

function changed(before: ListedFavourites, { object, template }: Changed, isOne: boolean): ListedFavourites {
  const others = before.OBJECT.filter(({ id }) => id !== object.id)
  if (!isOne) return { ...before, OBJECT: others }
  return { ...before, OBJECT: [...others, object], TEMPLATES: [...before.TEMPLATES, ...(template ? [template] : [])] }
}
