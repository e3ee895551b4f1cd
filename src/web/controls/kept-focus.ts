import { useEffect } from 'react'

/** A place in the page from which what had the focus was taken away. */
interface Gap {
  /** What was taken away: the control itself, or something around it. */
  readonly removed: Element
  readonly control: HTMLElement
  readonly parent: Element
  readonly next: Node | null
  readonly previous: Node | null
}

const rows = 'li, tr, [role="row"]'
const controls = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)'
/** React Aria keeps the focus within one, and gives it back to where it was. */
const dialogs = '.overlay'

/** A second, of most screens. */
const inertFrames = 60

/**
 * What a person presses may go with what was done by it: a row that is deleted, a button that is used once. The focus then goes to
 * the same control of the next row, to another one of the same row, or to the heading above, and never to the beginning of the page.
 */
export function useKeptFocus(): void {
  useEffect(keepFocus, [])
}

function keepFocus(): () => void {
  let focused: HTMLElement | undefined
  let gap: Gap | undefined
  const note = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || target.closest(dialogs)) return
    focused = target
    gap = undefined
  }
  /** Who clicks elsewhere has left the control by that. */
  const leave = ({ target }: PointerEvent): void => {
    if (!(target instanceof Element) || target.closest(dialogs)) return
    focused = undefined
    gap = undefined
  }
  const fill = (frames: number): void => {
    if (gap === undefined || document.activeElement !== document.body || document.querySelector(dialogs)) return
    focusNear(gap)
    // What lies behind a dialog stays inert for a moment after it has gone, and takes no focus.
    if (document.activeElement === document.body && frames > 0) requestAnimationFrame(() => fill(frames - 1))
    else gap = undefined
  }
  const observer = new MutationObserver((records) => {
    for (const record of records) gap = gapOf(record, focused, gap) ?? gap
    // Not before React Aria has given the focus back, and the next view has taken it.
    if (gap) requestAnimationFrame(() => fill(inertFrames))
  })
  observer.observe(document.body, { childList: true, subtree: true })
  addEventListener('focusin', note)
  addEventListener('pointerdown', leave, true)
  return () => {
    observer.disconnect()
    removeEventListener('focusin', note)
    removeEventListener('pointerdown', leave, true)
  }
}

function gapOf(record: MutationRecord, focused: HTMLElement | undefined, known: Gap | undefined): Gap | undefined {
  const { target: parent, nextSibling: next, previousSibling: previous, removedNodes } = record
  const lost = known?.parent ?? focused
  if (focused === undefined || lost === undefined || lost.isConnected || !(parent instanceof Element)) return undefined
  const removed = [...removedNodes].find((node) => node instanceof Element && node.contains(lost))
  return removed instanceof Element ? { removed, control: focused, parent, next, previous } : undefined
}

function focusNear(gap: Gap): void {
  const row = gap.removed.matches(rows) ? neighbourOf(gap) : gap.parent.closest(rows)
  const at = controlsOf(gap.removed).indexOf(gap.control)
  const offered = row ? controlsOf(row).filter(({ offsetParent }) => offsetParent !== null) : []
  const control = (gap.removed.matches(rows) ? offered[at] : undefined) ?? offered[0]
  if (control) return control.focus()
  const heading = headingAbove(gap.parent)
  if (heading === undefined) return
  heading.tabIndex = -1
  heading.focus()
}

/** The row that has come to its place, or the last one. */
const neighbourOf = ({ next, previous }: Gap): Element | undefined =>
  [next, previous].filter((node) => node instanceof Element).find((node) => node.isConnected && node.matches(rows))

const controlsOf = (place: Element): HTMLElement[] => [...place.querySelectorAll<HTMLElement>(controls)]

/** Of the innermost part of the page that has one. */
function headingAbove(place: Element | null): HTMLElement | undefined {
  if (place === null) return undefined
  return place.querySelector<HTMLElement>('h1, h2, h3') ?? headingAbove(place.parentElement)
}
