import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ListedTags } from '../interface/calls.ts'

const key = ['tags']
const readTags = ({ signal }: { readonly signal: AbortSignal }) => call('object.tags', { signal })

export const useTags = () => useQuery({ queryKey: key, queryFn: readTags })

/** Two spellings that the appliance takes for one tag have the same key. */
export const keyOfTag = (tag: string): string => tag.trim().normalize('NFC').toLowerCase()

export const tagsOf = ({ TAGS }: ListedTags, objectid: string): string[] =>
  TAGS.filter(({ objects }) => objects.includes(objectid)).map(({ tag }) => tag)

/** Changes the tags of an object as they are by now; once it resolves, every view knows it. @throws Refusal */
export function useTagChange(
  objectid: string,
): (change: (tags: readonly string[]) => string[], signal: AbortSignal) => Promise<void> {
  const queries = useQueryClient()
  return async (change, signal) => {
    // Another page of the person may have changed them since they were read.
    const now = tagsOf(await readTags({ signal }), objectid)
    await call('object.tags.set', { params: { objectid }, body: { tags: change(now) }, signal })
    await queries.invalidateQueries({ queryKey: key })
  }
}
