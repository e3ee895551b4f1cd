import { useMemo, useState } from 'react'
import type { Row } from './vault-contents.ts'

interface Marked {
  /** The order of the rows at the last extension. In another order, other rows would lie between its ends. */
  readonly order: readonly Row[]
  /** Rows that were chosen one by one, or by earlier extensions. */
  readonly ids: ReadonlySet<string>
  /** The two ends of the present extension. */
  readonly anchor: string | undefined
  readonly end: string | undefined
}

const nothing: Marked = { order: [], ids: new Set(), anchor: undefined, end: undefined }

/** The chosen rows of a table, and how to change them. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  /** The chosen rows, in the order of the table. */
  readonly chosen: readonly Row[]
  readonly toggle: (id: string) => void
  /** Extends the choice to a row, from its anchor or otherwise from the row in focus. */
  readonly extend: (from: string, to: string) => void
  readonly chooseAll: () => void
  readonly clear: () => void
}

/** The selection of a table. A new filter clears it, so that no hidden row is deleted or moved. */
export function useSelection(rows: readonly Row[], filter: string): Selection {
  const [marked, setMarked] = useState(nothing)
  const [shownFor, setShownFor] = useState(filter)
  if (shownFor !== filter) {
    setShownFor(filter)
    setMarked(nothing)
  }
  const ids = useMemo(() => new Set([...marked.ids, ...between(marked)]), [marked])
  const chosen = useMemo(() => (ids.size === 0 ? [] : rows.filter(({ object }) => ids.has(object.id))), [rows, ids])
  return {
    ids,
    chosen,
    toggle(id) {
      const next = new Set(ids)
      if (!next.delete(id)) next.add(id)
      setMarked({ ...nothing, ids: next, anchor: id })
    },
    extend: (from, to) =>
      setMarked(({ anchor, ...before }) => ({ ...before, order: rows, anchor: anchor ?? from, end: to })),
    chooseAll: () => setMarked({ ...nothing, ids: new Set(rows.map(({ object }) => object.id)) }),
    clear: () => setMarked(nothing),
  }
}

function between({ order: rows, anchor, end }: Marked): string[] {
  if (anchor === undefined || end === undefined) return []
  const [from, to] = [anchor, end]
    .map((id) => rows.findIndex(({ object }) => object.id === id))
    .toSorted((a, b) => a - b)
  if (from === undefined || to === undefined || from < 0) return []
  return rows.slice(from, to + 1).map(({ object }) => object.id)
}
