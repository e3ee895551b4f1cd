import { KeptJson } from './kept-json.ts'
import { useWatched, Watched } from './watched.ts'

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
const kept = new KeptJson<Held>(sessionStorage, 'strongroom.copied')

/** What the clipboard holds by this page. */
let held = kept.read()
/** What has just happened, as long as it is told. */
let news: { readonly state: 'emptied' | 'refused' } | undefined
let newsTimer: ReturnType<typeof setTimeout> | undefined
let ticking: ReturnType<typeof setTimeout> | undefined
const copied = new Watched<Copied | undefined>(undefined)
export const useCopied = (): Copied | undefined => useWatched(copied)

/** Puts a secret into the clipboard for half a minute. Whether it is there. */
export async function copySecret(field: string, value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    // What was there before still is, and has its time.
    tell('refused')
    return false
  }
  hold({ field, until: Date.now() + heldMs })
  tell()
  return true
}

/** Puts what is no secret into the clipboard, where it stays. Whether it is there. */
export async function copyOpen(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    tell('refused')
    return false
  }
  // It has taken the place of a secret that was there.
  hold(undefined)
  tell()
  return true
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
  kept.write(next)
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
  copied.set(news ?? (held && shownAs(held)))
}

const shownAs = ({ field, until }: Held): Copied =>
  isOverdue() ? { state: 'waits' } : { state: 'held', field, secondsLeft: Math.ceil((until - Date.now()) / 1000) }

for (const sign of ['focus', 'pointerup', 'keydown'] as const)
  addEventListener(sign, () => {
    if (isOverdue()) void emptyClipboard()
  })
if (isOverdue()) void emptyClipboard()
else show()
