import { useState, type ReactNode } from 'react'
import { Pager } from './pager.tsx'

/** As many rows are drawn at once, however many there are. */
export const pageSize = 100

interface Paged<Item> {
  readonly shown: readonly Item[]
  /** Turns the pages; draws nothing where there is one page alone. */
  readonly pager: ReactNode
}

/** The items of one page out of those that fit a filter. Another filter begins with the first page. */
export function usePagedItems<Item>(found: readonly Item[], filter: string): Paged<Item> {
  const [turned, setTurned] = useState({ filter, page: 0 })
  if (turned.filter !== filter) setTurned({ filter, page: 0 })
  const count = Math.max(1, Math.ceil(found.length / pageSize))
  // What was on the last page may be gone.
  const page = Math.min(turned.page, count - 1)
  const turnTo = (to: number) => (): void => setTurned({ filter, page: to })
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
