import { useEffect, useState } from 'react'
import { KeptJson } from './kept-json.ts'

/** The filter and page of each list that the person has been at in this tab, by the entry of the browser's history. */
interface KeptLists {
  readonly userid: string
  readonly entries: Readonly<Record<string, ListState>>
}
type ListState = Readonly<Record<string, string>>

/**
 * For Back and a reload. People type names of objects into filters. So the browser's history, which outlasts a logout,
 * gets an arbitrary id, and the text is in the storage of the tab until the session ends.
 */
const kept = new KeptJson<KeptLists>(sessionStorage, 'strongroom.lists')
const mostEntries = 50
/** Characters of a text that is kept. The storage is limited. */
const mostKept = 4_000

/** To be called with the person of the session, before lists are shown. Lists of anybody else are discarded. */
export function keepListsOf(userid: string | undefined): void {
  if (userid === undefined) kept.write(undefined)
  else if (kept.read()?.userid !== userid) kept.write({ userid, entries: {} })
}

/**
 * A text of a list that is there again when the person comes back to it by Back or a reload.
 * @param name Its name, one of a kind in the view; undefined for a text that is not kept
 */
export function useListText(name: string | undefined, initial = ''): [string, (text: string) => void] {
  const [text, setText] = useState(() => (name === undefined ? undefined : shownState()?.[name]) ?? initial)
  useEffect(() => {
    if (name !== undefined) keep(name, text)
  }, [name, text])
  return [text, setText]
}

/** Id of the present entry of the browser's history, where it has a list that is kept. */
function shownId(): string | undefined {
  const state: unknown = history.state
  if (typeof state !== 'object' || state === null || !('list' in state)) return undefined
  return typeof state.list === 'string' ? state.list : undefined
}

function shownState(): ListState | undefined {
  const id = shownId()
  return id === undefined ? undefined : kept.read()?.entries[id]
}

function keep(name: string, text: string): void {
  const lists = kept.read()
  const { [name]: before = '', ...others } = shownState() ?? {}
  if (!lists || text === before || text.length > mostKept) return
  const id = shownId() ?? crypto.randomUUID()
  if (id !== shownId()) history.replaceState({ list: id }, '')
  const { [id]: _, ...older } = lists.entries
  const entries = [...Object.entries(older).slice(1 - mostEntries), [id, { ...others, [name]: text }] as const]
  kept.write({ ...lists, entries: Object.fromEntries(entries) })
}
