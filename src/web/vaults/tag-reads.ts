import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ListedTags, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { useTemplateTranslation } from '../words/translated-names.ts'

const key = ['tags']
const readTags = ({ signal }: { readonly signal: AbortSignal }) => call('object.tags', { signal })

export const useTags = () => useQuery({ queryKey: key, queryFn: readTags, select: useTemplateTranslation() })

/** Comparison key of a tag. The appliance treats spellings with the same key as one tag. */
export const keyOfTag = (tag: string): string => tag.trim().normalize('NFC').toLowerCase()

export const tagsOf = ({ TAGS }: ListedTags, objectid: string): string[] =>
  TAGS.filter(({ objects }) => objects.includes(objectid)).map(({ tag }) => tag)

interface Tagged {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
}

/** Changes the current tags of an object. When it resolves, every view shows the change. @throws Refusal */
export function useTagChange(
  tagged: Tagged,
): (change: (tags: readonly string[]) => string[], signal: AbortSignal) => Promise<void> {
  const queries = useQueryClient()
  return async (change, signal) => {
    // Another page of the person may have changed them since they were read.
    const now = await readTags({ signal })
    const objectid = tagged.object.id
    const tags = change(tagsOf(now, objectid))
    try {
      await call('object.tags.set', { params: { objectid }, body: { tags }, signal })
      // A list that is still loading may predate the change.
      await queries.cancelQueries({ queryKey: key })
      queries.setQueryData<ListedTags>(key, changed(now, tagged, tags))
    } catch (error) {
      // A call that was cancelled with its view may still have been carried out.
      void queries.invalidateQueries({ queryKey: key })
      throw error
    }
  }
}

/** The list as the appliance gives it after the change. The latest spelling of a tag applies to all of its objects. */
function changed(before: ListedTags, { object, template }: Tagged, tags: readonly string[]): ListedTags {
  const others = before.TAGS.map(({ tag, objects }) => ({ tag, objects: objects.filter((id) => id !== object.id) }))
  const byKey = new Map(others.filter(({ objects }) => objects.length > 0).map((one) => [keyOfTag(one.tag), one]))
  for (const tag of tags)
    byKey.set(keyOfTag(tag), { tag, objects: [...(byKey.get(keyOfTag(tag))?.objects ?? []), object.id] })
  const untouched = before.OBJECT.filter(({ id }) => id !== object.id)
  return {
    ...before,
    TAGS: [...byKey.values()],
    OBJECT: tags.length > 0 ? [...untouched, object] : untouched,
    TEMPLATES: [...before.TEMPLATES, ...(template ? [template] : [])],
  }
}
