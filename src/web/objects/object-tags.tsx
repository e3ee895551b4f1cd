import { X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { keyOfTag, tagsOf, useTagChange, useTags } from '../vaults/tag-reads.ts'
import { tagWords } from '../vaults/tag-words.ts'
import { nameOrder } from '../words/name-order.ts'
import { useWords, useWordsOf } from '../words/language.tsx'

const mostTags = 20
const longestTag = 40

const without = (tags: readonly string[], tag: string): string[] =>
  tags.filter((one) => keyOfTag(one) !== keyOfTag(tag))

interface Props {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
}

/** The person's own tags of an object, with a field for new ones. */
export function ObjectTags({ object, template }: Props) {
  const { locale } = useWords()
  const words = useWordsOf(tagWords)
  const { data, error: unread, refetch } = useTags()
  const change = useTagChange({ object, template })
  const { error, run } = useAction()
  if (unread && !data) return <ErrorMessage error={unread} onTryAgain={refetch} />
  if (!data) return null
  const tags = tagsOf(data, object.id).toSorted(nameOrder(locale))

  const remove = (tag: string): Promise<boolean> =>
    run(async (signal) => {
      await change((now) => without(now, tag), signal)
      announce(words.removed(tag))
    }, tag)
  const add = (tag: string): Promise<boolean> =>
    run(async (signal) => {
      await change((now) => [...without(now, tag), tag], signal)
      announce(words.added(tag))
    }, tag)
  return (
    <section className="tags" aria-label={words.tags}>
      <h2>{words.tags}</h2>
      <p className="soft">{words.ownHint}</p>
      {error !== undefined && <ErrorMessage error={error} />}
      {tags.length > 0 && (
        <ul className="chips">
          {tags.map((tag) => (
            <li key={tag} className="button small">
              <span className="title">{tag}</span>
              <Button className="quiet" aria-label={words.remove(tag)} onPress={() => void remove(tag)}>
                <X aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <NewTag objectid={object.id} tags={tags} onAdd={add} />
    </section>
  )
}

const tagTyping = new TypingForm<string>()

interface NewProps {
  readonly objectid: string
  readonly tags: readonly string[]
  /** Resolves to whether the tag was added. */
  readonly onAdd: (tag: string) => Promise<boolean>
}

function NewTag({ objectid, tags, onAdd }: NewProps) {
  const words = useWordsOf(tagWords)
  const [text, setText] = useTypedState(tagTyping, objectid, '')
  const [problem, setProblem] = useState<string>()
  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const tag = text.trim()
    if (tag === '') return
    if (tags.some((one) => keyOfTag(one) === keyOfTag(tag))) return setProblem(words.hasIt)
    if (tags.length >= mostTags) return setProblem(words.tooMany(mostTags))
    // What was typed meanwhile stays.
    if (await onAdd(tag)) setText((now) => (now.trim() === tag ? '' : now))
  }
  return (
    <Form className="form new-tag" onSubmit={(event) => void submit(event)}>
      <TextInput
        label={words.newTag}
        kind="name"
        value={text}
        onChange={(typed) => {
          setText(typed)
          setProblem(undefined)
        }}
        maxLength={longestTag}
        autoComplete="off"
        isRequired
        error={problem}
      />
      <Button type="submit" className="button">
        {words.add}
      </Button>
    </Form>
  )
}
