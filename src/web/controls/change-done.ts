import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { announce } from './announcement.tsx'

/** Returns a function for the end of a change: it says what was done, and has the data under these keys read again. */
export function useDone(...changed: readonly QueryKey[]): (sentence?: string) => Promise<void> {
  const queries = useQueryClient()
  return async (sentence) => {
    if (sentence !== undefined) announce(sentence)
    await Promise.all(changed.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }
}
