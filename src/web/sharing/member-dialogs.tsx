import { ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { call, type SharedVault, type VaultMember } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { bodyOf, GivenFields, givenTo, type Given } from './given-right.tsx'
import type { MemberAct } from './member-item.tsx'
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

export const rightTyping = new TypingForm<Given>()
export const rightPlace = (vault: SharedVault, member: VaultMember): string => `${vault.id}/${member.id}`

function ChangeDialog(props: Props) {
  const words = useWordsOf(sharingWords)
  const { vault, member, onClose } = props
  const { params, done } = useRefreshed(props)
  const [given, setGiven] = useTypedState(rightTyping, rightPlace(vault, member), givenTo(member))
  const [isChecked, setIsChecked] = useState(false)
  return (
    <FormDialog
      title={words.changeRightOf(member.fullname)}
      submitText={words.save}
      onSubmit={async (signal) => {
        const body = bodyOf(given, member)
        setIsChecked(true)
        if (body === undefined) return false
        await call('vault.member.change', { params, body, signal })
        await done(words.rightChanged(member.fullname))
        return true
      }}
      onClose={onClose}
    >
      <GivenFields given={given} onChange={setGiven} isService={member.service === true} isChecked={isChecked} />
    </FormDialog>
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
