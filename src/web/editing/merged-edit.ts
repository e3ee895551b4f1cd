import { useState } from 'react'
import { call, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { changedIn, contestedIn, rebased, storedDraft, type Draft } from './draft.ts'

/** Of a field that holds a file there is one, and it is called so. */
export const fileMember = 'file1'

/** What a person has typed, and the object for which. */
export interface BegunEdit {
  readonly stored: StoredObject
  readonly draft: Draft
}

/** What a person changes of an object, measured against the object as it was read last. */
export function useMergedEdit(read: StoredObject, template: StoredTemplate, begun: BegunEdit | undefined) {
  const [stored, setStored] = useState(begun?.stored ?? read)
  const [draft, setDraft] = useState(() => begun?.draft ?? storedDraft(template, read))
  /** Members that two people have changed; undefined where no other person has changed the object. */
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
     * After another person's change: what is stored now takes the place of what this one has left alone; what both have
     * changed is contested.
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

/** What another person has put where this one has changed something too. */
export const theirsOf = ({ contested, stored, before }: MergedEdit, member: string): string | undefined =>
  contested?.includes(member) !== true ? undefined : member === fileMember ? stored.filename : before[member]
