import type { KeyboardEvent } from 'react'
import type { Selection } from './selection.ts'
import type { Row } from './vault-contents.ts'

interface Focused {
  readonly selection: Selection
  readonly rows: readonly Row[]
  /** Index of the row in focus. */
  readonly current: number
  readonly goTo: (index: number) => void
}

/** Handles the keys that choose rows of a grid (ARIA practices). Returns whether the key was one of them. */
export function chooseByKey(event: KeyboardEvent<HTMLElement>, { selection, rows, current, goTo }: Focused): boolean {
  const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event
  const id = rows[current]?.object.id
  // Checkboxes and buttons handle their keys themselves.
  if (id === undefined || altKey || target instanceof HTMLInputElement || target instanceof HTMLButtonElement)
    return false
  if (ctrlKey || metaKey) {
    if (key !== 'a') return false
    selection.chooseAll()
  } else if (shiftKey) {
    const next = { ArrowDown: current + 1, ArrowUp: current - 1, ' ': current }[key]
    const to = next === undefined ? undefined : rows[next]?.object.id
    if (next === undefined || to === undefined) return false
    selection.extend(id, to)
    if (next !== current) goTo(next)
  } else if (key === ' ') selection.toggle(id)
  else if (key === 'Escape' && selection.ids.size > 0) selection.clear()
  else return false
  return true
}
