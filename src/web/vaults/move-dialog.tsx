import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { LongSelect } from '../controls/long-select.tsx'
import { Slow } from '../controls/slow.tsx'
import { Trouble } from '../controls/trouble.tsx'
import type { SharedVault } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { TooMuch, tooMuchAtOnce } from './at-once.tsx'
import { ChosenNames } from './chosen-names.tsx'
import { chosenWords } from './chosen-words.ts'
import { moveObjects, outermost, targetsOf } from './moving.ts'
import { arrange, pathTo, rootId, type Arranged, type Row } from './vault-contents.ts'
import { useContents, useVaults } from './vault-reads.ts'

interface Props {
  readonly vault: SharedVault
  readonly arranged: Arranged
  readonly rows: readonly Row[]
  readonly onClose: () => void
}

/** Asks for the folder, of this vault or of another in which the person may write. */
export function MoveDialog({ vault, arranged, rows, onClose }: Props) {
  const words = useWordsOf(chosenWords)
  const queries = useQueryClient()
  const vaults = useVaults()
  const [vaultid, setVaultid] = useState(vault.id)
  // As it was asked: what is moved leaves the table meanwhile.
  const [asked] = useState(() => outermost(arranged, rows))
  const [left, setLeft] = useState<readonly string[]>(() => asked.map(({ object }) => object.id))
  const heap = useMemo(() => tooMuchAtOnce(arranged, asked), [arranged, asked])
  const isTooMuch = heap !== undefined && vaultid !== vault.id
  const offered = (vaults.data?.VAULTS ?? [vault]).filter(({ statustext }) => statustext !== 'Read')
  return (
    <FormDialog
      title={words.moveTitle(asked.length)}
      submitText={isTooMuch ? undefined : words.move}
      onSubmit={async (signal, typed) => {
        const folderid = typed('folder')
        if (folderid === '') return false
        const to = { vaultid, folderid }
        await moveObjects(queries, { ids: left, from: vault.id, to, signal, moved: setLeft })
        announce(words.moved(asked.length))
        return true
      }}
      onClose={onClose}
    >
      <ChosenNames rows={asked} />
      <LongSelect
        label={words.intoVault}
        name="vault"
        defaultValue={vault.id}
        onChange={setVaultid}
        options={offered.map(({ id, groupname }) => ({ value: id, text: groupname }))}
      />
      <FolderInput key={vaultid} vaultid={vaultid} rows={vaultid === vault.id ? asked : noRows} />
      {vaultid !== vault.id && <p className="soft">{words.movedAnew}</p>}
      {isTooMuch && <TooMuch heap={heap} />}
      <p className="soft" role="status">
        {left.length < asked.length && words.progress(asked.length - left.length, asked.length)}
      </p>
    </FormDialog>
  )
}

const noRows: readonly Row[] = []

interface FolderProps {
  readonly vaultid: string
  /** Which of its own rows are to go into the folder. */
  readonly rows: readonly Row[]
}

function FolderInput({ vaultid, rows }: FolderProps) {
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
    const isTarget = targetsOf(arranged, rows)
    return [{ value: rootId, text: words.topOfVault }, ...paths].filter(
      ({ value }) => rows.length === 0 || isTarget(value),
    )
  }, [data, locale, rows, words])
  if (error) return <Trouble error={error} onTryAgain={() => void refetch()} />
  if (!folders) return <Slow />
  const [first] = folders
  return first ? (
    <LongSelect label={words.intoFolder} name="folder" defaultValue={first.value} options={folders} />
  ) : (
    <p role="status">{words.noFolder}</p>
  )
}
