import { KeptJson } from './kept-json.ts'
import { useWatched, Watched } from './watched.ts'

/** State of the clipboard, as the page shows it. */
export type Copied =
  | { readonly state: 'held'; readonly field: string; readonly secondsLeft: number }
  /** The time is over, but the browser has not let the page empty the clipboard. */
  | { readonly state: 'waits' }
  | { readonly state: 'emptied' | 'refused' }

interface Held {
  readonly field: string
  readonly until: number
}

const heldMs = 30_000
const goneMs = 4_000
/** For a reload of the tab: the name of the copied field and its time, not the secret. */
const kept = new KeptJson<Held>(sessionStorage, 'strongroom.copied')

/** The field whose secret this page has put into the clipboard. */
let held = kept.read()
/** The last event, while it is shown. */
let news: { readonly state: 'emptied' | 'refused' } | undefined
let newsTimer: ReturnType<typeof setTimeout> | undefined
let ticking: ReturnType<typeof setTimeout> | undefined
const copied = new Watched<Copied | undefined>(undefined)
export const useCopied = (): Copied | undefined => useWatched(copied)

/** Puts a secret into the clipboard for half a minute. Resolves to whether that succeeded. */
export async function copySecret(field: string, value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    // The clipboard is unchanged, and so is the time of a secret in it.
    tell('refused')
    return false
  }
  hold({ field, until: Date.now() + heldMs })
  tell()
  return true
}

/** Puts text that is not secret into the clipboard, where it stays. Resolves to whether that succeeded. */
export async function copyOpen(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    tell('refused')
    return false
  }
  // The text has replaced any secret in the clipboard.
  hold(undefined)
  tell()
  return true
}

/**
 * Empties the clipboard if this page has put a secret into it. The page cannot see what the person copied elsewhere
 * since; that is removed, too.
 */
export async function emptyClipboard(): Promise<void> {
  if (held === undefined) return
  const emptied = held
  try {
    await navigator.clipboard.writeText('')
  } catch {
    // Chromium refuses a page in the background; Firefox and Safari refuse without a recent click or key.
    if (held === emptied) hold({ ...emptied, until: Math.min(emptied.until, Date.now()) })
    return tell()
  }
  // A secret that was copied meanwhile has its own time.
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
  // No timer once it is overdue: another attempt would fail, too. The next click, key or focus tries again.
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
