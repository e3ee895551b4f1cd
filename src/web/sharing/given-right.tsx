import type { VaultMember } from '../interface/calls.ts'
import { areSound, draftOf, entryOf, newKeys, type GrantDraft, type GrantEntry } from './grant-draft.ts'
import { GrantsFields } from './grants-fields.tsx'
import { RightChoice, type GivenRight } from './right-choice.tsx'

/** What a member is given: a right in all of the vault, or what entries name. */
export interface Given {
  readonly right: GivenRight
  readonly drafts: readonly GrantDraft[]
}

/** What a member has; without one, what is offered first. */
export const givenTo = (member?: VaultMember): Given => ({
  right: member?.grants ? 'some' : (member?.groupstatus ?? '1'),
  drafts: member?.grants?.map(draftOf) ?? [newKeys()],
})

interface GivenBody {
  readonly status: '1' | '2' | '4'
  readonly grants?: GrantEntry[] | null
}

/** For the call; undefined where something is missing. Grants that there were before are taken away by name. */
export function bodyOf({ right, drafts }: Given, before?: VaultMember): GivenBody | undefined {
  if (right !== 'some') return { status: right, ...(before?.grants && { grants: null }) }
  return areSound(drafts) ? { status: '1', grants: drafts.map(entryOf) } : undefined
}

interface Props {
  readonly given: Given
  readonly onChange: (given: Given) => void
  /** An application is given what entries name, and nothing else. */
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
