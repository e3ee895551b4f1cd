import { useState } from 'react'
import { call, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { changedIn, contestedIn, rebased, storedDraft, type Draft } from './draft.ts'

/** Name of the file field. A template has at most one. */
export const fileMember = 'file1'

/** Typed values, and the object to which they belong. */
export interface BegunEdit {
  readonly stored: StoredObject
  readonly draft: Draft
}

/** Edits an object against the version that was read last. */
export function useMergedEdit(read: StoredObject, template: StoredTemplate, begun: BegunEdit | undefined) {
  const [stored, setStored] = useState(begun?.stored ?? read)
  const [draft, setDraft] = useState(() => begun?.draft ?? storedDraft(template, read))
  /** Members that two people have changed; undefined while no other person has changed the object. */
  const [contested, setContested] = useState<readonly string[]>()
  const before = storedDraft(template, stored)
  const set = (member: string, value: string | undefined): void =>
    setDraft(({ [member]: _before, ...rest }) => ({ ...rest, ...(value !== undefined && { [member]: value }) }))

  return {
    stored,
    draft,
    set,
    contested,
    before,
    changes: changedIn(draft, before),
    /**
     * To be called after another person's change. Reads the object again: its new values replace those that this person
     * has left alone. Members that both have changed are contested.
     */
    async seeBoth(hasFile: boolean, signal: AbortSignal): Promise<void> {
      const { OBJECT } = await call('object.read', { params: { objectid: stored.id }, signal })
      const [newer] = OBJECT
      if (newer === undefined) return
      const after = storedDraft(template, newer)
      const isOtherFile = hasFile && newer.filename !== stored.filename
      setContested([...contestedIn(draft, before, after), ...(isOtherFile ? [fileMember] : [])])
      setDraft(rebased(draft, before, after))
      setStored(newer)
    },
    take(member: string, theirs: string): void {
      set(member, theirs)
      setContested(contested?.filter((one) => one !== member))
    },
  }
}

export type MergedEdit = ReturnType<typeof useMergedEdit>

/** The other person's value of a contested member. */
export const theirsOf = ({ contested, stored, before }: MergedEdit, member: string): string | undefined =>
  contested?.includes(member) !== true ? undefined : member === fileMember ? stored.filename : before[member]
