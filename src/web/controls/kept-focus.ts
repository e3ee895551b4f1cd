import { useEffect } from 'react'

/** The place of the element that had the focus and was removed from the page. */
interface Gap {
  /** The removed node: the control itself or one of its ancestors. */
  readonly removed: Element
  readonly control: HTMLElement
  readonly parent: Element
  readonly next: Node | null
  readonly previous: Node | null
}

const rows = 'li, tr, [role="row"]'
const controls = 'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)'
/** React Aria keeps the focus inside its dialogs, and restores it afterwards. */
const dialogs = '.overlay'

/** About a second on most screens. */
const inertFrames = 60

/**
 * Restores the focus when the pressed control is removed by its own action, such as the button of a deleted row. The
 * focus goes to the same control of the next row, to another control of the same row, or to the heading above, and
 * never to the beginning of the page.
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
  /** A click elsewhere means that the person has left the control. */
  const leave = ({ target }: PointerEvent): void => {
    if (!(target instanceof Element) || target.closest(dialogs) || focused?.contains(target)) return
    focused = undefined
    gap = undefined
  }
  const fill = (frames: number): void => {
    if (gap === undefined || document.activeElement !== document.body || document.querySelector(dialogs)) return
    focusNear(gap)
    // The page behind a dialog stays inert for a moment after the dialog has closed, and takes no focus until then.
    if (document.activeElement === document.body && frames > 0) requestAnimationFrame(() => fill(frames - 1))
    else gap = undefined
  }
  const observer = new MutationObserver((records) => {
    for (const record of records) gap = gapOf(record, focused, gap) ?? gap
    // Runs in the next frame, after React Aria has restored the focus or the next view has taken it.
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

/** The row that took the place of the removed one, or the last row. */
const neighbourOf = ({ next, previous }: Gap): Element | undefined =>
  [next, previous].filter((node) => node instanceof Element).find((node) => node.isConnected && node.matches(rows))

const controlsOf = (place: Element): HTMLElement[] => [...place.querySelectorAll<HTMLElement>(controls)]

/** The first heading of the nearest ancestor that has one. */
function headingAbove(place: Element | null): HTMLElement | undefined {
  if (place === null) return undefined
  return place.querySelector<HTMLElement>('h1, h2, h3') ?? headingAbove(place.parentElement)
}
