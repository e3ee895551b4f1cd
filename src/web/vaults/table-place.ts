import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'

/** Where a person was in the table of a vault. */
interface Place {
  readonly folderid: string
  readonly filter: string
  readonly top: number
  readonly activeId: string | undefined
}

export interface KeptPlace {
  readonly read: () => Place
  readonly keep: (change: Partial<Place>) => void
}

/** For the way back from an object. It lies beside what was read of the vault, and is forgotten with it at the logout. */
export function useTablePlace(vaultid: string, folderid: string): KeptPlace {
  const queries = useQueryClient()
  return useMemo(() => {
    const key = ['place', vaultid]
    const start = { folderid, filter: '', top: 0, activeId: undefined }
    const read = (): Place => {
      const kept = queries.getQueryData<Place>(key)
      return kept?.folderid === folderid ? kept : start
    }
    return { read, keep: (change) => void queries.setQueryData<Place>(key, { ...read(), ...change }) }
  }, [queries, vaultid, folderid])
}
