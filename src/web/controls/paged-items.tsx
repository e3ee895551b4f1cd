import { useState, type ReactNode } from 'react'
import { useListText } from './list-state.ts'
import { Pager } from './pager.tsx'

/** Rows that are drawn at once. */
export const pageSize = 100

interface Paged<Item> {
  readonly shown: readonly Item[]
  /** The buttons between pages; null for a single page. */
  readonly pager: ReactNode
}

/**
 * Divides the items that fit a filter into pages. A new filter begins at the first page.
 * @param name The page's name in the view, where the page is kept for Back
 */
export function usePagedItems<Item>(found: readonly Item[], filter: string, name?: string): Paged<Item> {
  const [turned, setTurned] = useListText(name)
  const [filtered, setFiltered] = useState(filter)
  if (filtered !== filter) {
    setFiltered(filter)
    setTurned('')
  }
  const count = Math.max(1, Math.ceil(found.length / pageSize))
  // The list may have become shorter.
  const page = Math.min(Number(turned), count - 1)
  const turnTo = (to: number) => (): void => setTurned(String(to))
  return {
    shown: found.slice(page * pageSize, (page + 1) * pageSize),
    pager: (
      <Pager
        pages={{ number: page + 1, goOn: turnTo(page + 1), goBack: turnTo(page - 1) }}
        count={count}
        following={page + 1 < count ? String(page + 1) : undefined}
      />
    ),
  }
}
