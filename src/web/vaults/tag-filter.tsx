import { Tag } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { createFilter } from '../controls/filter-field.tsx'
import { useListText } from '../controls/list-state.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { ListedTags } from '../interface/calls.ts'
import { nameOrder } from '../words/name-order.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { ObjectLinks } from './object-links.tsx'
import { keyOfTag, useTags } from './tag-reads.ts'
import { tagWords } from './tag-words.ts'

type ListedTag = ListedTags['TAGS'][number]

/** A long list shows so many at first, so that the vaults below it stay in sight. */
const mostTagsShown = 24

/** The person's tags that contain the typed text, if there are any. Pressing a tag shows its objects. */
export function TagFilter({ text }: { readonly text: string }) {
  const { locale } = useWords()
  const words = useWordsOf(tagWords)
  const { data, error, refetch } = useTags()
  const [picked, setPicked] = useListText('tag')
  const [isWhole, setIsWhole] = useState(false)
  const found = useMemo(() => {
    const fits = createFilter(text)
    const compare = nameOrder(locale)
    return (data?.TAGS ?? []).filter(({ tag }) => fits(tag.toLowerCase())).toSorted((a, b) => compare(a.tag, b.tag))
  }, [data, text, locale])
  if (error && !data) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data || found.length === 0) return null
  const shown = found.find(({ tag }) => keyOfTag(tag) === picked)
  return (
    <section className="tags" aria-label={words.tags}>
      <h2>{words.tags}</h2>
      <ul className="chips">
        {found.slice(0, isWhole ? undefined : mostTagsShown).map(({ tag, objects }) => (
          <li key={keyOfTag(tag)}>
            <ToggleButton
              className="button small"
              isSelected={keyOfTag(tag) === picked}
              onChange={(isPicked) => setPicked(isPicked ? keyOfTag(tag) : '')}
            >
              <Tag aria-hidden />
              <span className="title">{tag}</span>
              <span className="soft">{objects.length.toLocaleString(locale)}</span>
            </ToggleButton>
          </li>
        ))}
      </ul>
      {!isWhole && found.length > mostTagsShown && (
        <Button className="button small all-found" onPress={() => setIsWhole(true)}>
          {words.allTags(found.length)}
        </Button>
      )}
      {shown && <Tagged key={shown.tag} listed={shown} data={data} />}
    </section>
  )
}

function Tagged({ listed: { tag, objects: ids }, data }: { readonly listed: ListedTag; readonly data: ListedTags }) {
  const { locale } = useWords()
  const words = useWordsOf(tagWords)
  const objects = useMemo(() => {
    const wanted = new Set(ids)
    const compare = nameOrder(locale)
    return data.OBJECT.filter(({ id }) => wanted.has(id)).toSorted((a, b) => compare(a.objectname, b.objectname))
  }, [data, ids, locale])
  return (
    <section aria-label={words.tagged(tag)}>
      <h3>{words.tagged(tag)}</h3>
      <ObjectLinks objects={objects} templates={data.TEMPLATES} />
    </section>
  )
}
