import { useDeferredValue, useMemo, type ReactNode } from 'react'
import { useWords, useWordsOf } from '../words/language.tsx'
import { createFilter, FilterField } from './filter-field.tsx'
import { useListText } from './list-state.ts'
import { listWords } from './list-words.ts'
import { pageSize, usePagedItems } from './paged-items.tsx'

interface Props<Item> {
  readonly items: readonly Item[]
  /** The text that the filter searches. */
  readonly textOf: (item: Item) => string
  readonly className: string
  /** Its name in the view, where the filter and the page are kept for Back. */
  readonly name?: string
  /** Draws the row of an item, with its key. */
  readonly children: (item: Item) => ReactNode
}

/** A list with a hundred rows on a page. A longer one has a filter. */
export function LongList<Item>({ items, textOf, className, name, children }: Props<Item>) {
  const words = useWords()
  const own = useWordsOf(listWords)
  const [filter, setFilter] = useListText(name && `${name} filter`)
  const deferred = useDeferredValue(filter)
  const found = useMemo(() => {
    const fits = createFilter(deferred)
    return deferred.trim() === '' ? items : items.filter((item) => fits(textOf(item).toLowerCase()))
  }, [items, textOf, deferred])
  const { shown, pager } = usePagedItems(found, deferred, name && `${name} page`)
  return (
    <>
      {(items.length > pageSize || filter !== '') && (
        <div className="bar">
          <FilterField label={own.filter} value={filter} onChange={setFilter} />
          <p className="soft count" role="status">
            {found.length === 0 ? words.nothingFits : found !== items && own.fitting(found.length, items.length)}
          </p>
          {pager}
        </div>
      )}
      {shown.length > 0 && <ul className={className}>{shown.map((item) => children(item))}</ul>}
    </>
  )
}
