import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { chooseByKey } from './selection-keys.ts'
import type { Selection } from './selection.ts'
import type { KeptPosition } from './table-position.ts'
import type { Row } from './vault-contents.ts'

/** In pixels, as in views.css. */
export const rowHeight = 48

interface Input {
  readonly frame: { readonly current: HTMLDivElement | null }
  readonly rows: readonly Row[]
  /** Number of visible rows. */
  readonly seen: number
  readonly filter: string
  readonly position: KeptPosition
  /** Absent where rows cannot be chosen. */
  readonly selection: Selection | undefined
}

/**
 * The row in the tab order, and the keys that move between cells. The row is remembered by its object, because rows
 * come and go.
 */
export function useRowFocus({ frame, rows, seen, filter, position, selection }: Input) {
  const [activeId, setActiveId] = useState(() => position.read().activeId)
  const current = useMemo(
    () =>
      Math.max(
        0,
        rows.findIndex(({ object }) => object.id === activeId),
      ),
    [rows, activeId],
  )
  const setActive = (id: string | undefined): void => {
    setActiveId(id)
    position.keep({ activeId: id })
  }

  const shownFor = useRef(filter)
  useLayoutEffect(() => {
    if (shownFor.current === filter) return
    shownFor.current = filter
    frame.current?.scrollTo({ top: 0 })
    setActiveId(undefined)
  }, [filter, frame])
  const wanted = useRef<{ readonly index: number; readonly column: number }>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const { index, column } = wanted.current
    const cells = cellsOf(frame.current?.querySelector(`[aria-rowindex="${index + 2}"]`))
    ;(cells[column] ?? cells[0])?.focus({ preventScroll: true })
    wanted.current = undefined
  })

  function goTo(index: number, column: number): void {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    const { current: box } = frame
    if (box === null) return
    const [top, bottom] = [next * rowHeight, (next + 1) * rowHeight + rowHeight]
    if (top < box.scrollTop) box.scrollTop = top
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight
    wanted.current = { index: next, column }
    // A row that is already drawn takes the focus without a new drawing.
    if (next === current) cellsOf(box.querySelector(`[aria-rowindex="${next + 2}"]`))[column]?.focus()
    setActive(rows[next]?.object.id)
  }

  function handleKey(event: KeyboardEvent<HTMLElement>): void {
    const target = event.target instanceof HTMLElement ? event.target : undefined
    const isInHead = target?.closest('.head') !== null
    if (!isInHead && selection && chooseByKey(event, { selection, rows, current, goTo: (index) => goTo(index, 0) }))
      return event.preventDefault()
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const cells = cellsOf(target?.closest('[role="row"]'))
    const column = Math.max(
      0,
      cells.findIndex((cell) => cell === target),
    )
    if (event.key === 'Enter') {
      // A focused link or button handles Enter itself.
      if (column === 0 || target instanceof HTMLButtonElement) return
      cells[0]?.click()
    } else if (event.key === 'ArrowUp' && (isInHead || current === 0)) {
      const buttons = cellsOf(frame.current?.querySelector('.head .row'))
      ;(buttons[column] ?? buttons[0])?.focus()
    } else if (event.key === 'ArrowDown' && isInHead) goTo(current, column)
    else if (event.key === 'ArrowRight') cells[column + 1]?.focus()
    else if (event.key === 'ArrowLeft') cells[column - 1]?.focus()
    else {
      const next = nextRow(event.key, current, { seen, last: rows.length - 1 })
      if (next === undefined) return
      goTo(next, column)
    }
    event.preventDefault()
  }
  return { current, setActive, handleKey }
}

function nextRow(key: string, current: number, { seen, last }: { readonly seen: number; readonly last: number }) {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    Home: 0,
    End: last,
    PageDown: current + seen,
    PageUp: current - seen,
  }
  return steps[key]
}

/** The visible cells of a row that take the focus: its link, further cells and star, or the buttons of the head. */
const cellsOf = (row: Element | null | undefined): HTMLElement[] =>
  ['a, [role="gridcell"].more, .sort', '.row-star']
    .flatMap((cells) => [...(row?.querySelectorAll<HTMLElement>(cells) ?? [])])
    .filter(({ offsetParent }) => offsetParent !== null)
