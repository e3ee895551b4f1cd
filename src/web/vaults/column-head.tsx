import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Sort } from './row-order.ts'

interface Props {
  readonly id: string
  readonly label: string
  readonly className?: string
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

/** The head of a column. A press sorts by the column, a second press in the opposite order. */
export function ColumnHead({ id, label, className, sort, onSort }: Props) {
  const own = sort?.column === id ? sort : undefined
  const Arrow = own?.isDescending ? ArrowDown : ArrowUp
  return (
    <span
      role="columnheader"
      className={className}
      aria-sort={own ? (own.isDescending ? 'descending' : 'ascending') : 'none'}
    >
      <button
        type="button"
        className="sort"
        tabIndex={-1}
        onClick={() => onSort({ column: id, isDescending: own?.isDescending === false })}
      >
        {label}
        {own && <Arrow aria-hidden />}
      </button>
    </span>
  )
}
