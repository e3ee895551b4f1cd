import { useDeferredValue, useMemo, useState, type ReactNode } from 'react'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { createFilter, FilterField } from './filter-field.tsx'
import { listWords } from './list-words.ts'
import { Pager } from './pager.tsx'

/** As many rows are drawn at once, however many there are. */
const pageSize = 100

interface Props<Item> {
  readonly items: readonly Item[]
  /** What the filter looks through. */
  readonly textOf: (item: Item) => string
  readonly className: string
  /** The row of an item, with its key. */
  readonly children: (item: Item) => ReactNode
}

/** A list with a page for every hundred rows. One that is longer has a filter. */
export function LongList<Item>({ items, textOf, className, children }: Props<Item>) {
  const words = useWords()
  const own = useWordsOf(listWords)
  const [filter, setFilter] = useState('')
  const deferred = useDeferredValue(filter)
  const [turned, setTurned] = useState(0)
  const found = useMemo(() => {
    const fits = createFilter(deferred)
    return deferred.trim() === '' ? items : items.filter((item) => fits(textOf(item).toLowerCase()))
  }, [items, textOf, deferred])
  const pageCount = Math.max(1, Math.ceil(found.length / pageSize))
  // What was on the last page may be gone.
  const page = Math.min(turned, pageCount - 1)
  const shown = found.slice(page * pageSize, (page + 1) * pageSize)
  return (
    <>
      {(items.length > pageSize || filter !== '') && (
        <div className="bar">
          <FilterField
            label={own.filter}
            value={filter}
            onChange={(next) => {
              setFilter(next)
              setTurned(0)
            }}
          />
          <p className="soft count" role="status">
            {found.length === 0 ? words.nothingFits : found !== items && own.fitting(found.length, items.length)}
          </p>
          <Pager
            pages={{ number: page + 1, goOn: () => setTurned(page + 1), goBack: () => setTurned(page - 1) }}
            count={pageCount}
            following={page + 1 < pageCount ? String(page + 1) : undefined}
          />
        </div>
      )}
      {shown.length > 0 && <ul className={className}>{shown.map((item) => children(item))}</ul>}
    </>
  )
}
