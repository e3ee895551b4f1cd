import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { LongSelect } from '../controls/long-select.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { SharedVault } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { TooManyObjects, tooLargeForOneCall } from './objects-per-call.tsx'
import { ChosenNames } from './chosen-names.tsx'
import { chosenWords } from './chosen-words.ts'
import { createCopying } from './copying.ts'
import { moveObjects, outermost, targetsOf, type Relocation } from './moving.ts'
import { arrange, pathTo, rootId, type Arranged, type Row } from './vault-contents.ts'
import { useContents, useVaults } from './vault-reads.ts'

interface Props {
  readonly act: Relocation
  readonly vault: SharedVault
  readonly arranged: Arranged
  readonly rows: readonly Row[]
  readonly onClose: () => void
}

/** Asks for the target folder of a move or copy, in this vault or another one to which the person may write. */
export function RelocationDialog({ act, vault, arranged, rows, onClose }: Props) {
  const words = useWordsOf(chosenWords)
  const isCopy = act === 'copy'
  const queries = useQueryClient()
  const vaults = useVaults()
  const offered = writable(vaults.data?.VAULTS ?? [vault])
  // A person who may only read this vault copies into another one.
  const [vaultid, setVaultid] = useState(() => (offered.find(({ id }) => id === vault.id) ?? offered[0] ?? vault).id)
  // The rows at the opening of the dialog: moved objects leave the table meanwhile.
  const [asked] = useState(() => outermost(arranged, rows))
  const [copy] = useState(() =>
    createCopying(
      queries,
      asked.map(({ object }) => object),
    ),
  )
  const [left, setLeft] = useState<readonly string[]>(() => asked.map(({ object }) => object.id))
  const heap = useMemo(() => tooLargeForOneCall(arranged, asked), [arranged, asked])
  const isOther = vaultid !== vault.id
  const isTooLarge = heap !== undefined && (isCopy || isOther)
  return (
    <FormDialog
      title={isCopy ? words.copyTitle(asked.length) : words.moveTitle(asked.length)}
      submitText={isTooLarge ? undefined : isCopy ? words.copy : words.move}
      onSubmit={async (signal, typed) => {
        const folderid = typed('folder')
        if (folderid === '') return false
        const to = { vaultid, folderid }
        await moveObjects(queries, {
          ...(isCopy && { relocate: copy }),
          ids: left,
          from: vault.id,
          to,
          signal,
          moved: setLeft,
        })
        announce(isCopy ? words.copied(asked.length) : words.moved(asked.length))
        return true
      }}
      onClose={onClose}
    >
      <ChosenNames rows={asked} />
      <LongSelect
        label={words.intoVault}
        name="vault"
        defaultValue={vaultid}
        onChange={setVaultid}
        options={offered.map(({ id, groupname }) => ({ value: id, text: groupname }))}
      />
      <FolderInput key={vaultid} act={act} vaultid={vaultid} rows={isOther ? noRows : asked} />
      {isCopy && <p className="soft">{words.copiedAnew}</p>}
      {isOther && <p className="soft">{isCopy ? words.copiedElsewhere : words.movedAnew}</p>}
      {isTooLarge && <TooManyObjects heap={heap} />}
      <p className="soft" role="status">
        {left.length < asked.length && words.progress(asked.length - left.length, asked.length)}
      </p>
    </FormDialog>
  )
}

const noRows: readonly Row[] = []

/** The vaults into which the person may put objects. */
export const writable = (vaults: readonly SharedVault[]): SharedVault[] =>
  vaults.filter(({ statustext }) => statustext !== 'Read')

interface FolderProps {
  readonly act: Relocation
  readonly vaultid: string
  /** The rows of this vault that are to go into the folder; empty for another vault. */
  readonly rows: readonly Row[]
}

function FolderInput({ act, vaultid, rows }: FolderProps) {
  const words = useWordsOf(chosenWords)
  const { locale } = useWords()
  const { data, error, refetch } = useContents(vaultid)
  const folders = useMemo(() => {
    if (!data) return undefined
    const arranged = arrange(data, locale)
    const { compare } = new Intl.Collator(locale, { numeric: true })
    const paths = [...arranged.byId.values()]
      .filter(({ isPlace }) => isPlace)
      .map(({ object }) => ({
        value: object.id,
        text: pathTo(arranged, object.id)
          .map((row) => row.object.objectname)
          .join(' / '),
      }))
      .toSorted((a, b) => compare(a.text, b.text))
    const isTarget = targetsOf(arranged, rows, act)
    return [{ value: rootId, text: words.topOfVault }, ...paths].filter(
      ({ value }) => rows.length === 0 || isTarget(value),
    )
  }, [act, data, locale, rows, words])
  if (error) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!folders) return <Loading />
  const [row] = rows
  // A single copy usually belongs beside its original.
  const usual = folders.find(({ value }) => act === 'copy' && value === row?.object.parentid) ?? folders[0]
  return usual ? (
    <LongSelect label={words.intoFolder} name="folder" defaultValue={usual.value} options={folders} />
  ) : (
    <p role="status">{words.noFolder}</p>
  )
}
