import { useQueryClient } from '@tanstack/react-query'
import { ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { call, type SharedVault, type VaultMember } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { bodyOf, GivenFields, givenTo, type Given } from './given-right.tsx'
import { GrantedList } from './granted-list.tsx'
import type { MemberAct } from './member-item.tsx'
import { useRightName } from './right-choice.tsx'
import { membersOf } from './sharing-reads.ts'
import { sharingWords } from './sharing-words.ts'

interface Props {
  readonly vault: SharedVault
  readonly member: VaultMember
  readonly onClose: () => void
}

/** The dialog for an action with a member. */
export function MemberDialog({ act, ...props }: Props & { readonly act: MemberAct }) {
  const Dialog = { change: ChangeDialog, remove: RemoveDialog, confirm: ConfirmDialog }[act]
  return <Dialog {...props} />
}

function useRefreshed({ vault, member }: Props) {
  return {
    params: { vaultid: vault.id, userid: member.id },
    // The list of vaults contains the person's own right.
    done: useDone(['members', vault.id], ['vaults'], ['vault', vault.id]),
  }
}

interface RightEditing {
  /** The member as the person has seen them. */
  readonly seen: VaultMember
  /** Undefined until the person changes it. */
  readonly typed?: Given
}

export const rightTyping = new TypingForm<RightEditing>()
export const rightPlace = (vault: SharedVault, member: VaultMember): string => `${vault.id}/${member.id}`

const hasSameRights = (one: VaultMember, other: VaultMember): boolean =>
  JSON.stringify([one.groupstatus, one.grants]) === JSON.stringify([other.groupstatus, other.grants])

/**
 * The call replaces all that a member may do, so that it could give back what another Admin has taken meanwhile. The
 * person sees that before it is replaced.
 */
function ChangeDialog(props: Props) {
  const words = useWordsOf(sharingWords)
  const { vault, member, onClose } = props
  const queries = useQueryClient()
  const { params, done } = useRefreshed(props)
  const [{ seen, typed }, setEditing] = useTypedState(rightTyping, rightPlace(vault, member), { seen: member })
  const [before] = useState(() => givenTo(seen))
  const given = typed ?? before
  const [isChecked, setIsChecked] = useState(false)
  const [isContested, setIsContested] = useState(false)
  async function change(signal: AbortSignal): Promise<boolean> {
    if (typed === undefined) return true
    const body = bodyOf(typed, seen)
    setIsChecked(true)
    if (body === undefined) return false
    const members = await queries.fetchQuery({ ...membersOf(vault.id), staleTime: 0 })
    const present = members.find(({ id }) => id === member.id) ?? seen
    if (!hasSameRights(present, seen)) {
      // Keeps what was typed while the members were read.
      setEditing((editing) => ({ ...editing, seen: present }))
      setIsContested(true)
      return false
    }
    await call('vault.member.change', { params, body, signal })
    await done(words.rightChanged(member.fullname))
    return true
  }
  return (
    <FormDialog
      title={words.changeRightOf(member.fullname)}
      submitText={words.save}
      onSubmit={change}
      onClose={onClose}
    >
      <GivenFields
        given={given}
        onChange={(next) => setEditing({ seen, typed: next })}
        isService={member.service === true}
        isChecked={isChecked}
      />
      {isContested && <Contested present={seen} />}
    </FormDialog>
  )
}

const bringIntoSight = (note: HTMLElement | null): void => note?.scrollIntoView({ block: 'nearest' })

/** What another Admin has let the member do meanwhile. */
function Contested({ present: { groupstatus, grants } }: { readonly present: VaultMember }) {
  const words = useWordsOf(sharingWords)
  const nameOf = useRightName()
  return (
    <div className="changed-meanwhile" role="alert" ref={bringIntoSight}>
      <p>{words.rightContested}</p>
      {grants ? <GrantedList grants={grants} /> : <p>{nameOf(groupstatus)}</p>}
    </div>
  )
}

function RemoveDialog(props: Props) {
  const words = useWordsOf(sharingWords)
  const { member, onClose } = props
  const { params, done } = useRefreshed(props)
  return (
    <FormDialog
      isDangerous
      title={words.removeTitle(member.fullname)}
      submitText={words.remove}
      onSubmit={async (signal) => {
        await call('vault.member.remove', { params, signal })
        await done(words.removed(member.fullname))
      }}
      onClose={onClose}
    >
      <p>{words.removeText}</p>
    </FormDialog>
  )
}

function ConfirmDialog(props: Props) {
  const words = useWordsOf(sharingWords)
  const { member, onClose } = props
  const { params, done } = useRefreshed(props)
  return (
    <FormDialog
      title={words.confirmTitle(member.fullname)}
      submitText={words.confirm}
      onSubmit={async (signal) => {
        // Confirms the recoveries that the person has read about. The appliance refuses if another one followed.
        const body = member.resting && { recovery: member.resting.recovery }
        await call('vault.member.confirm', { params, ...(body && { body }), signal })
        await done(words.confirmed(member.fullname))
      }}
      onClose={onClose}
    >
      <p className="asked">
        <ShieldQuestion aria-hidden />
        {words.confirmText}
      </p>
    </FormDialog>
  )
}
