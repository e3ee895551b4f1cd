import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Sort } from './row-order.ts'

/** The person's place in the table of a vault. */
interface Place {
  readonly folderid: string
  readonly filter: string
  /** Undefined for the vault's own order. */
  readonly sort: Sort | undefined
  readonly top: number
  readonly activeId: string | undefined
}

export interface KeptPlace {
  readonly read: () => Place
  readonly keep: (change: Partial<Place>) => void
}

const keyOf = (vaultid: string): string[] => ['place', vaultid]
const top = { filter: '', sort: undefined, top: 0, activeId: undefined }

/** Makes the table of a vault open with a filter. */
export function keepFilter(
  queries: QueryClient,
  { vaultid, ...place }: Pick<Place, 'folderid' | 'filter'> & { readonly vaultid: string },
): void {
  queries.setQueryData<Place>(keyOf(vaultid), { ...top, ...place })
}

/**
 * The place that is restored on the way back from an object. It is kept with the cached queries of the vault until the
 * logout.
 */
export function useTablePlace(vaultid: string, folderid: string): KeptPlace {
  const queries = useQueryClient()
  return useMemo(() => {
    const key = keyOf(vaultid)
    const start = { ...top, folderid }
    const read = (): Place => {
      const kept = queries.getQueryData<Place>(key)
      return kept?.folderid === folderid ? kept : start
    }
    return { read, keep: (change) => void queries.setQueryData<Place>(key, { ...read(), ...change }) }
  }, [queries, vaultid, folderid])
}
