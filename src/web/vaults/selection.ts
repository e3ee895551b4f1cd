import { useMemo, useState } from 'react'
import type { Row } from './vault-contents.ts'

interface Marked {
  /** The rows as they stood when it was extended: in another order others would lie between. */
  readonly order: readonly Row[]
  /** Chosen one by one, and by what was extended before. */
  readonly ids: ReadonlySet<string>
  /** Where what is extended begins and ends. */
  readonly anchor: string | undefined
  readonly end: string | undefined
}

const nothing: Marked = { order: [], ids: new Set(), anchor: undefined, end: undefined }

/** Which rows of a table are chosen. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  /** In the order of the table. */
  readonly chosen: readonly Row[]
  readonly toggle: (id: string) => void
  /** To a row, from where it began, or from the row that has the focus. */
  readonly extend: (from: string, to: string) => void
  readonly chooseAll: () => void
  readonly clear: () => void
}

/** A row that a filter takes out of sight is not chosen any longer: nothing unseen is deleted or moved. */
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
