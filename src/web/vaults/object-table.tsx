import { useLayoutEffect, useRef, useState, type CSSProperties } from 'react'
import type { StoredObject } from '../interface/calls.ts'
import { ColumnHead } from './column-head.tsx'
import { ObjectIcon } from './object-icon.tsx'
import { useObjectMarks } from './object-marks.tsx'
import { rowHeight, useRowFocus } from './row-focus.ts'
import type { FavouriteRows } from './favourite-rows.ts'
import type { ObjectDrag } from './object-drag.ts'
import type { Sort } from './row-order.ts'
import { RowStar } from './row-star.tsx'
import type { Selection } from './selection.ts'
import type { KeptPosition } from './table-position.ts'
import type { Row } from './vault-contents.ts'
import { useWords } from '../words/language.tsx'

/** Rows that are drawn above and below the visible ones. */
const margin = 8

export interface TableColumn {
  readonly id: string
  readonly label: string
  readonly text: (row: Row) => string
}

interface Props {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly TableColumn[]
  readonly hrefOf: (row: Row) => string
  /** The filter and order of the rows. When it changes, the table scrolls to the top. */
  readonly filter: string
  /** Remembers the scroll position and the row in focus. */
  readonly position: KeptPosition
  /** Absent where rows cannot be chosen. */
  readonly selection?: Selection | undefined
  /** Absent where the person may not move objects. */
  readonly drag?: ObjectDrag | undefined
  readonly favourites: FavouriteRows
  /** The column and direction of the order. */
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

/** Id of the first column, which every table has. */
export const nameColumn = 'name'

/**
 * A grid of the ARIA practices that draws only rows near the visible ones: ten thousand rows cost as much as thirty.
 * One row is in the tab order. Arrows, Home, End and the page keys go from row to row, and from the first row to the
 * head, whose buttons sort. Enter follows the link. Space chooses a row, Shift and arrows choose several, Control and A
 * all, Escape none.
 */
export function ObjectTable(props: Props) {
  const { label, rows, columns, hrefOf, filter, position, selection, drag, favourites, sort, onSort } = props
  const words = useWords()
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    frame.current?.scrollTo({ top: position.read().top })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once: afterwards the person scrolls
  }, [])
  const { first, last, seen } = useWindow(frame, rows.length)
  const { current, setActive, handleKey } = useRowFocus({ frame, rows, seen, filter, position, selection })

  const drawn = Array.from({ length: last - first }, (_, index) => first + index)
  // The row in focus stays in the page, however far the person scrolls.
  if (current >= 0 && (current < first || current >= last)) drawn.push(current)
  return (
    <div
      ref={frame}
      className={selection ? 'table picks' : 'table'}
      role="grid"
      aria-multiselectable={selection ? true : undefined}
      tabIndex={-1}
      aria-label={label}
      aria-rowcount={rows.length + 1}
      onKeyDown={handleKey}
      onScroll={({ currentTarget }) => position.keep({ top: currentTarget.scrollTop })}
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- React's types know no variables of styles
      style={{ '--columns': columns.length } as CSSProperties}
    >
      <div role="rowgroup" className="head">
        <div role="row" aria-rowindex={1} className="row">
          {selection && <PickAll selection={selection} count={rows.length} />}
          <ColumnHead id={nameColumn} label={words.name} sort={sort} onSort={onSort} />
          {columns.map(({ id, label: text }) => (
            <ColumnHead key={id} className="more" id={id} label={text} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      <div role="rowgroup" className="rows" style={{ height: rows.length * rowHeight }}>
        {drawn.map((index) => {
          const row = rows[index]
          return (
            row && (
              <TableRow
                key={row.object.id}
                row={row}
                index={index}
                columns={columns}
                href={hrefOf(row)}
                isCurrent={index === current}
                selection={selection}
                drag={drag}
                favourites={favourites}
                onFocus={setActive}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

interface RowProps {
  readonly row: Row
  readonly index: number
  readonly columns: readonly TableColumn[]
  readonly href: string
  readonly isCurrent: boolean
  readonly onFocus: (id: string) => void
  readonly selection: Selection | undefined
  readonly drag: ObjectDrag | undefined
  readonly favourites: FavouriteRows
}

function TableRow({ row, index, columns, href, isCurrent, onFocus, selection, drag, favourites }: RowProps) {
  const isChosen = selection?.ids.has(row.object.id)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      className="row"
      draggable={drag !== undefined}
      onDragStart={(event) => drag?.begin(isChosen ? (selection?.chosen ?? []) : [row], event)}
      {...(row.isPlace && drag?.dropProps(row.object.id))}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
    >
      {selection && <Pick row={row} isChosen={isChosen === true} selection={selection} />}
      <span role="gridcell" className="first">
        <a href={href} tabIndex={isCurrent ? 0 : -1} onFocus={() => onFocus(row.object.id)}>
          <ObjectIcon name={row.template?.info.ico} />
          <span className="title">{row.object.objectname}</span>
        </a>
        <Marks object={row.object} />
        <RowStar row={row} favourites={favourites} onFocus={onFocus} />
      </span>
      {columns.map((column) => (
        <span
          key={column.id}
          role="gridcell"
          className="more"
          tabIndex={-1}
          title={column.text(row)}
          onFocus={() => onFocus(row.object.id)}
        >
          {column.text(row)}
        </span>
      ))}
    </div>
  )
}

interface PickProps {
  readonly row: Row
  readonly isChosen: boolean
  readonly selection: Selection
}

/** The checkbox of a row, for mouse and touch. The keyboard chooses in the row itself. */
function Pick({ row: { object }, isChosen, selection }: PickProps) {
  const words = useWords()
  return (
    <span role="gridcell" className="pick">
      <label>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={words.choose(object.objectname)}
          checked={isChosen}
          onChange={({ nativeEvent }) =>
            nativeEvent instanceof MouseEvent && nativeEvent.shiftKey
              ? selection.extend(object.id, object.id)
              : selection.toggle(object.id)
          }
        />
      </label>
    </span>
  )
}

function PickAll({ selection, count }: { readonly selection: Selection; readonly count: number }) {
  const words = useWords()
  const isAll = selection.chosen.length === count
  return (
    <span role="columnheader" className="pick">
      <label>
        <input
          type="checkbox"
          aria-label={words.chooseAll}
          checked={isAll}
          ref={(box) => {
            if (box) box.indeterminate = !isAll && selection.chosen.length > 0
          }}
          onChange={() => (isAll ? selection.clear() : selection.chooseAll())}
        />
      </label>
    </span>
  )
}

function Marks({ object }: { readonly object: StoredObject }) {
  return useObjectMarks(object).map(({ className, icon, text }) => (
    <span key={className} className={className} role="img" aria-label={text} title={text}>
      {icon}
    </span>
  ))
}

/** The range of visible rows, by the scroll position and height of the frame. */
function useWindow(frame: { readonly current: HTMLDivElement | null }, count: number) {
  const [scrolled, setScrolled] = useState({ top: 0, height: 800 })
  useLayoutEffect(() => {
    const { current: box } = frame
    if (box === null) return undefined
    const measure = (): void =>
      setScrolled((before) => {
        const next = { top: Math.floor(box.scrollTop / rowHeight), height: box.clientHeight }
        return before.top === next.top && before.height === next.height ? before : next
      })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    box.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', measure)
    }
  }, [frame])
  const seen = Math.max(1, Math.floor(scrolled.height / rowHeight) - 1)
  const first = Math.max(0, Math.min(scrolled.top, count - seen) - margin)
  return { first, last: Math.min(count, scrolled.top + seen + 2 + margin), seen }
}
