import type { VaultMember } from '../interface/calls.ts'
import { areSound, draftOf, entryOf, newKeys, type GrantDraft, type GrantEntry } from './grant-draft.ts'
import { GrantsFields } from './grants-fields.tsx'
import { RightChoice, type GivenRight } from './right-choice.tsx'

/** The rights of a member: a right in the whole vault, or grants. */
export interface Given {
  readonly right: GivenRight
  readonly drafts: readonly GrantDraft[]
}

/** The rights of a member, or the initial choice for a new one. */
export const givenTo = (member?: VaultMember): Given => ({
  right: member?.grants ? 'some' : (member?.groupstatus ?? '1'),
  drafts: member?.grants?.map(draftOf) ?? [newKeys()],
})

interface GivenBody {
  readonly status: '1' | '2' | '4'
  readonly grants?: GrantEntry[] | null
}

/** The body of the call; undefined where an entry is incomplete. Former grants are removed explicitly (`null`). */
export function bodyOf({ right, drafts }: Given, before?: VaultMember): GivenBody | undefined {
  if (right !== 'some') return { status: right, ...(before?.grants && { grants: null }) }
  return areSound(drafts) ? { status: '1', grants: drafts.map(entryOf) } : undefined
}

interface Props {
  readonly given: Given
  readonly onChange: (given: Given) => void
  /** A service account gets grants only. */
  readonly isService: boolean
  readonly isChecked: boolean
}

export function GivenFields({ given, onChange, isService, isChecked }: Props) {
  return (
    <>
      {!isService && <RightChoice value={given.right} onChange={(right) => onChange({ ...given, right })} />}
      {given.right === 'some' && (
        <GrantsFields
          drafts={given.drafts}
          onChange={(drafts) => onChange({ ...given, drafts })}
          isChecked={isChecked}
        />
      )}
    </>
  )
}
