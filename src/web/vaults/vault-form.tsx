import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { announce } from '../controls/announcement.tsx'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type SharedVault } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { changesOf, editingOf, vaultTyping, type TypedVault, type VaultEditing } from './vault-draft.ts'
import { usePolicies } from './vault-reads.ts'
import { vaultFormWords } from './vault-form-words.ts'

const histories = ['0', '1', '3', '5', '10', '20', '50', '100']
const mostOfName = 128
const mostOfDescription = 4096

interface FieldsProps {
  readonly editing: VaultEditing
  readonly onChange: (editing: VaultEditing) => void
}

/** Fields of a vault. */
function VaultFields({ editing, onChange }: FieldsProps) {
  const words = useWordsOf(vaultFormWords)
  const { data, error, refetch } = usePolicies()
  const { before, typed } = editing
  const field = (name: keyof TypedVault) => ({
    value: typed[name],
    onChange: (value: string) => onChange({ before, typed: { ...typed, [name]: value } }),
  })
  return (
    <>
      <TextInput
        {...field('vaultname')}
        label={words.vaultName}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={mostOfName}
      />
      <TextInput {...field('description')} label={words.description} maxLength={mostOfDescription} rows={3} />
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {data && (
        <SelectInput
          {...field('policy')}
          label={words.policy}
          description={words.policyHelp}
          options={data.map(({ id, name }) => ({ value: String(id), text: name }))}
        />
      )}
      <SelectInput
        {...field('history')}
        label={words.history}
        description={words.historyHelp}
        options={historyOptions(before.history).map((value) => ({ value, text: words.versions(Number(value)) }))}
      />
    </>
  )
}

/** The offered numbers, and the present one, which a program may have set. */
const historyOptions = (present: string): string[] =>
  [...new Set([...histories, present])].toSorted((a, b) => Number(a) - Number(b))

/** Creates a vault and then shows it. */
export function CreateVaultDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWordsOf(vaultFormWords)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [editing, setEditing] = useTypedState(vaultTyping, '', editingOf())
  return (
    <FormDialog
      title={words.createTitle}
      submitText={words.create}
      onSubmit={async (signal) => {
        const vaultname = editing.typed.vaultname.trim()
        // Without a description, the interface takes the name for it.
        const body = { description: '', ...changesOf(editing), vaultname }
        const { VAULT } = await call('vault.create', { body, signal })
        await queries.invalidateQueries({ queryKey: ['vaults'] })
        const [vault] = VAULT
        if (vault) announce(words.created(vault.groupname))
        if (vault) navigate(`/vault/${vault.id}`)
      }}
      onClose={onClose}
    >
      <p className="soft">{words.createHelp}</p>
      <VaultFields editing={editing} onChange={setEditing} />
    </FormDialog>
  )
}

interface EditProps {
  readonly vault: SharedVault
  readonly onClose: () => void
}

export function EditVaultDialog({ vault, onClose }: EditProps) {
  const words = useWordsOf(vaultFormWords)
  const [editing, setEditing] = useTypedState(vaultTyping, vault.id, editingOf(vault))
  const done = useDone(['vaults'], ['vault', vault.id])
  return (
    <FormDialog
      title={words.editTitle}
      submitText={words.save}
      onSubmit={async (signal) => {
        const body = changesOf(editing)
        if (Object.keys(body).length === 0) return
        await call('vault.edit', { params: { vaultid: vault.id }, body, signal })
        await done(words.changed)
      }}
      onClose={onClose}
    >
      <VaultFields editing={editing} onChange={setEditing} />
    </FormDialog>
  )
}
