import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { announce } from '../controls/announcement.tsx'
import { changed } from '../controls/changed.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { call, type SharedVault } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { usualHistory } from './usual-history.ts'
import { usePolicies } from './vault-reads.ts'
import { vaultFormWords } from './vault-form-words.ts'

/** What the interface gives a vault where none is named: no rules. */
const usualPolicy = '16'
const histories = ['0', '1', '3', '5', '10', '20', '50', '100']
const mostOfName = 128
const mostOfDescription = 4096

/** Fields of a vault. */
function VaultFields({ vault }: { readonly vault?: SharedVault }) {
  const words = useWordsOf(vaultFormWords)
  const { data, error, refetch } = usePolicies()
  return (
    <>
      <TextInput
        name="vaultname"
        label={words.vaultName}
        defaultValue={vault?.groupname ?? ''}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={mostOfName}
      />
      <TextInput
        name="description"
        label={words.description}
        defaultValue={vault?.description ?? ''}
        maxLength={mostOfDescription}
        rows={3}
      />
      {error && <Trouble error={error} onTryAgain={() => void refetch()} />}
      {data && (
        <SelectInput
          name="policy"
          label={words.policy}
          description={words.policyHelp}
          defaultValue={vault?.policy ?? usualPolicy}
          options={data.map(({ id, name }) => ({ value: String(id), text: name }))}
        />
      )}
      <SelectInput
        name="history"
        label={words.history}
        description={words.historyHelp}
        defaultValue={vault?.history ?? usualHistory}
        options={historyOptions(vault?.history).map((value) => ({ value, text: words.versions(Number(value)) }))}
      />
    </>
  )
}

/** Programs set other numbers, too. */
const historyOptions = (present = usualHistory): string[] =>
  [...new Set([...histories, present])].toSorted((a, b) => Number(a) - Number(b))

/** What was typed; a policy only where there was one to choose. */
function bodyOf(typed: (name: string) => string) {
  const policy = typed('policy')
  return {
    vaultname: typed('vaultname'),
    description: typed('description'),
    history: typed('history'),
    ...(policy !== '' && { policy }),
  }
}

/** What the fields of a vault hold until one types: a browser breaks lines its own way, and blanks around are left out. */
function untouchedOf(vault: SharedVault): ReturnType<typeof bodyOf> {
  return {
    vaultname: vault.groupname,
    description: vault.description.replaceAll(/\r\n?/g, '\n').trim(),
    history: vault.history ?? usualHistory,
    policy: vault.policy,
  }
}

/** Goes to the vault that it has made. */
export function CreateVaultDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWordsOf(vaultFormWords)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return (
    <FormDialog
      title={words.createTitle}
      submitText={words.create}
      onSubmit={async (signal, typed) => {
        const { VAULT } = await call('vault.create', { body: bodyOf(typed), signal })
        await queries.invalidateQueries({ queryKey: ['vaults'] })
        const [vault] = VAULT
        if (vault) announce(words.created(vault.groupname))
        if (vault) navigate(`/vault/${vault.id}`)
      }}
      onClose={onClose}
    >
      <p className="soft">{words.createHelp}</p>
      <VaultFields />
    </FormDialog>
  )
}

interface EditProps {
  readonly vault: SharedVault
  readonly onClose: () => void
}

export function EditVaultDialog({ vault: present, onClose }: EditProps) {
  const words = useWordsOf(vaultFormWords)
  const queries = useQueryClient()
  // As it was when the dialog opened: the page may read it anew behind it.
  const [vault] = useState(present)
  return (
    <FormDialog
      title={words.editTitle}
      submitText={words.save}
      onSubmit={async (signal, typed) => {
        const body = changed(bodyOf(typed), untouchedOf(vault))
        if (Object.keys(body).length === 0) return
        await call('vault.edit', { params: { vaultid: vault.id }, body, signal })
        announce(words.changed)
        await Promise.all([
          queries.invalidateQueries({ queryKey: ['vaults'] }),
          queries.invalidateQueries({ queryKey: ['vault', vault.id] }),
        ])
      }}
      onClose={onClose}
    >
      <VaultFields vault={vault} />
    </FormDialog>
  )
}
