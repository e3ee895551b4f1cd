import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Sort } from './row-order.ts'

/** The person's position in the table of a vault. */
interface TablePosition {
  readonly folderid: string
  readonly filter: string
  /** Undefined for the vault's own order. */
  readonly sort: Sort | undefined
  readonly top: number
  readonly activeId: string | undefined
}

export interface KeptPosition {
  readonly read: () => TablePosition
  readonly keep: (change: Partial<TablePosition>) => void
}

const keyOf = (vaultid: string): string[] => ['table position', vaultid]
const top = { filter: '', sort: undefined, top: 0, activeId: undefined }

/** Makes the table of a vault open with a filter. */
export function keepFilter(
  queries: QueryClient,
  { vaultid, ...position }: Pick<TablePosition, 'folderid' | 'filter'> & { readonly vaultid: string },
): void {
  queries.setQueryData<TablePosition>(keyOf(vaultid), { ...top, ...position })
}

/**
 * The position that is restored on the way back from an object. It is kept with the cached queries of the vault until the
 * logout.
 */
export function useTablePosition(vaultid: string, folderid: string): KeptPosition {
  const queries = useQueryClient()
  return useMemo(() => {
    const key = keyOf(vaultid)
    const start = { ...top, folderid }
    const read = (): TablePosition => {
      const kept = queries.getQueryData<TablePosition>(key)
      return kept?.folderid === folderid ? kept : start
    }
    return { read, keep: (change) => void queries.setQueryData<TablePosition>(key, { ...read(), ...change }) }
  }, [queries, vaultid, folderid])
}
