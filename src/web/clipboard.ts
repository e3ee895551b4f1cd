import { useSyncExternalStore } from 'react'

/** What was copied last, as the page tells of it. */
export type Copied =
  | { readonly state: 'held'; readonly field: string; readonly secondsLeft: number }
  /** Its time is over, and the browser did not let the page empty it. */
  | { readonly state: 'waits' }
  | { readonly state: 'emptied' | 'refused' }

interface Held {
  readonly field: string
  readonly until: number
}

const heldMs = 30_000
const goneMs = 4_000
/** In the tab's memory, for a reload: that a secret was copied, and not which. */
const place = 'strongroom.copied'

/** What the clipboard holds by this page. */
let held = readHeld()
/** What has just happened, as long as it is told. */
let news: { readonly state: 'emptied' | 'refused' } | undefined
let newsTimer: ReturnType<typeof setTimeout> | undefined
let ticking: ReturnType<typeof setTimeout> | undefined
let copied: Copied | undefined
const listeners = new Set<() => void>()

export const useCopied = (): Copied | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => copied,
  )

/** Puts a secret into the clipboard for half a minute. */
export async function copySecret(field: string, value: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    // What was there before still is, and has its time.
    return tell('refused')
  }
  hold({ field, until: Date.now() + heldMs })
  tell()
}

/** Only where a secret is in it by this page; what a person copied elsewhere meanwhile cannot be told apart, and goes too. */
export async function emptyClipboard(): Promise<void> {
  if (held === undefined) return
  const emptied = held
  try {
    await navigator.clipboard.writeText('')
  } catch {
    // Chromium refuses while the page is not in front, Firefox and Safari without a click or a key just before.
    if (held === emptied) hold({ ...emptied, until: Math.min(emptied.until, Date.now()) })
    return tell()
  }
  // A copy that came meanwhile has its own time.
  if (held !== emptied) return
  hold(undefined)
  tell('emptied')
}

const isOverdue = (): boolean => held !== undefined && held.until <= Date.now()

function hold(next: Held | undefined): void {
  held = next
  if (next === undefined) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, JSON.stringify(next))
}

function tell(state?: 'emptied' | 'refused'): void {
  clearTimeout(newsTimer)
  news = state && { state }
  if (state) newsTimer = setTimeout(tell, goneMs)
  show()
}

function show(): void {
  clearTimeout(ticking)
  // Not while it waits: each attempt would fail as the last one did, until something happens.
  if (held && !isOverdue()) ticking = setTimeout(() => (isOverdue() ? void emptyClipboard() : show()), 1_000)
  copied = news ?? (held && shownAs(held))
  for (const listener of listeners) listener()
}

const shownAs = ({ field, until }: Held): Copied =>
  isOverdue() ? { state: 'waits' } : { state: 'held', field, secondsLeft: Math.ceil((until - Date.now()) / 1000) }

function readHeld(): Held | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this page has written it
    return (JSON.parse(sessionStorage.getItem(place) ?? 'null') as Held | null) ?? undefined
  } catch {
    return undefined
  }
}

for (const sign of ['focus', 'pointerup', 'keydown'] as const)
  addEventListener(sign, () => {
    if (isOverdue()) void emptyClipboard()
  })
if (isOverdue()) void emptyClipboard()
else show()
