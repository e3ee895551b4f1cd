import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { announce } from '../controls/announcement.tsx'
import { useDone } from '../controls/change-done.ts'
import { changed } from '../controls/changed-members.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type SharedVault } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { defaultHistory, usePolicies } from './vault-reads.ts'
import { vaultFormWords } from './vault-form-words.ts'

/** Id of the policy without rules, which the interface gives a vault by default. */
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
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
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
        defaultValue={vault?.history ?? defaultHistory}
        options={historyOptions(vault?.history).map((value) => ({ value, text: words.versions(Number(value)) }))}
      />
    </>
  )
}

/** The offered numbers, and the present one, which a program may have set. */
const historyOptions = (present = defaultHistory): string[] =>
  [...new Set([...histories, present])].toSorted((a, b) => Number(a) - Number(b))

/** The typed values. The policy is included only where the list of policies was loaded. */
function bodyOf(typed: (name: string) => string) {
  const policy = typed('policy')
  return {
    vaultname: typed('vaultname'),
    description: typed('description'),
    history: typed('history'),
    ...(policy !== '' && { policy }),
  }
}

/** The values of untouched fields: the browser normalizes line breaks, and surrounding blanks are removed. */
function untouchedOf(vault: SharedVault): ReturnType<typeof bodyOf> {
  return {
    vaultname: vault.groupname,
    description: vault.description.replaceAll(/\r\n?/g, '\n').trim(),
    history: vault.history ?? defaultHistory,
    policy: vault.policy,
  }
}

/** Creates a vault and then shows it. */
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
  // The vault at the opening of the dialog, because the page may load it again meanwhile.
  const [vault] = useState(present)
  const done = useDone(['vaults'], ['vault', vault.id])
  return (
    <FormDialog
      title={words.editTitle}
      submitText={words.save}
      onSubmit={async (signal, typed) => {
        const body = changed(bodyOf(typed), untouchedOf(vault))
        if (Object.keys(body).length === 0) return
        await call('vault.edit', { params: { vaultid: vault.id }, body, signal })
        await done(words.changed)
      }}
      onClose={onClose}
    >
      <VaultFields vault={vault} />
    </FormDialog>
  )
}
