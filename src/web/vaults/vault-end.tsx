import { useQueryClient } from '@tanstack/react-query'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { goOn } from '../controls/held-address.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type SharedVault } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { vaultFormWords } from './vault-form-words.ts'

interface Props {
  readonly vault: SharedVault
  readonly onClose: () => void
}

/** Removes the vault's data from the page, and returns to the list of vaults. */
function useGoneVault({ vault }: Props) {
  const queries = useQueryClient()
  return async (sentence: string): Promise<void> => {
    announce(sentence)
    goOn('/')
    queries.removeQueries({ queryKey: ['vault', vault.id] })
    await queries.invalidateQueries({ queryKey: ['vaults'] })
  }
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

/** The person must type the name of the vault, because the deletion is final. */
export function DeleteVaultDialog(props: Props) {
  const words = useWordsOf(vaultFormWords)
  const gone = useGoneVault(props)
  const { vault, onClose } = props
  return (
    <FormDialog
      isDangerous
      title={words.deleteTitle(vault.groupname)}
      submitText={words.delete}
      onSubmit={async (signal) => {
        await call('vault.delete', { params: { vaultid: vault.id }, signal })
        await gone(words.deleted(vault.groupname))
      }}
      onClose={onClose}
    >
      <p>{words.deleteText}</p>
      <TextInput
        name="vaultname"
        label={words.deleteName}
        isRequired
        kind="name"
        autoComplete="off"
        validate={(typed) => (oneLine(typed) === oneLine(vault.groupname) ? undefined : words.deleteOtherName)}
      />
    </FormDialog>
  )
}

export function LeaveVaultDialog({ userid, ...props }: Props & { readonly userid: string }) {
  const words = useWordsOf(vaultFormWords)
  const gone = useGoneVault(props)
  const { vault, onClose } = props
  return (
    <FormDialog
      isDangerous
      title={words.leaveTitle(vault.groupname)}
      submitText={words.leave}
      onSubmit={async (signal) => {
        await call('vault.member.remove', { params: { vaultid: vault.id, userid }, signal })
        await gone(words.left(vault.groupname))
      }}
      onClose={onClose}
    >
      <p>{words.leaveText}</p>
    </FormDialog>
  )
}
