import { useEffect, useState } from 'react'

type ListState = Readonly<Record<string, string>>

/**
 * The filter and page of each list that the person has been at, for Back. People type names of objects into filters, so
 * these are in the memory of the page alone. The browser's history, which outlasts a logout, gets an arbitrary id.
 */
const kept = new Map<string, ListState>()

/** To be called when the session ends, and when another person logs in. */
export function forgetLists(): void {
  kept.clear()
}

/**
 * A text of a list that is there again when the person comes back to it by Back.
 * @param name Its name, one of a kind in the view; undefined for a text that is not kept
 */
export function useListText(name: string | undefined): [string, (text: string) => void] {
  const [text, setText] = useState(() => (name === undefined ? undefined : shownState()?.[name]) ?? '')
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
  return id === undefined ? undefined : kept.get(id)
}

function keep(name: string, text: string): void {
  const { [name]: before = '', ...others } = shownState() ?? {}
  if (text === before) return
  const id = shownId() ?? crypto.randomUUID()
  if (id !== shownId()) history.replaceState({ list: id }, '')
  kept.set(id, { ...others, [name]: text })
}
