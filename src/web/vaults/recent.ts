import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** A vault or object that the person has opened since the login. */
export interface RecentItem {
  readonly href: string
  readonly name: string
  /** Name of the icon of an object's template; absent for a vault. */
  readonly icon?: string | undefined
}

const key = ['recent']
const mostKept = 6

/**
 * Notes an opened vault or object. The list is kept in memory only, with the cached queries, and is cleared at the
 * logout.
 */
export function useNoteRecent({ href, name, icon }: RecentItem): void {
  const queries = useQueryClient()
  useEffect(() => {
    const isOther = (item: RecentItem): boolean => item.href !== href
    queries.setQueryData<readonly RecentItem[]>(key, (before = []) =>
      [{ href, name, icon }, ...before.filter(isOther)].slice(0, mostKept),
    )
  }, [queries, href, name, icon])
}

export function useRecent(): readonly RecentItem[] {
  return useQueryClient().getQueryData<readonly RecentItem[]>(key) ?? []
}
