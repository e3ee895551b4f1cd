import { FileInput } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { useAction } from '../controls/action.ts'
import type { Contents } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { isBitwarden, readBitwarden } from './bitwarden-reading.ts'
import { ColumnTable } from './column-table.tsx'
import { entriesOf, guessUses, readTable, type ColumnUse, type Table } from './csv-reading.ts'
import { mostBytes, UnreadableFile, type ReadFile } from './entry.ts'
import { exchangeWords } from './exchange-words.ts'
import { importTyping, ImportPreview } from './import-preview.tsx'
import { isKeepass } from './opening/locked-file.ts'
import type { LockedFile } from './opening/opening-worker.ts'
import { decodeText } from './text-decoding.ts'
import { Unlock, Unopened } from './unlock.tsx'

export interface ImportProps {
  readonly vaultid: string
  readonly contents: Contents
  /** During an import the rest of the page is disabled, because it could end the import. */
  readonly isImporting: boolean
  readonly onImporting: (isImporting: boolean) => void
}

/** A chosen file, as far as it has been read. */
type Chosen =
  | { readonly kind: 'table'; readonly table: Table; readonly uses: readonly ColumnUse[] }
  | { readonly kind: 'items'; readonly read: ReadFile }
  | { readonly kind: 'locked'; readonly locked: LockedFile }

/** The choice of a file and its preview. Nothing of the file is sent before the preview's button is pressed. */
export function ImportPart({ vaultid, contents, isImporting, onImporting }: ImportProps) {
  const words = useWordsOf(exchangeWords)
  const { chooseFile } = useWords()
  const [chosen, setChosen] = useState<Chosen>()
  const [isGuessed, setIsGuessed] = useState(false)
  const [file, setFile] = useState<File>()
  const { error, run } = useAction()
  const { person } = useSession()
  const [begun] = useState(() => importTyping.at(person?.userid, vaultid))

  async function choose(next: File | undefined, uses?: readonly ColumnUse[]): Promise<void> {
    if (next === undefined) return
    setChosen(undefined)
    setFile(next)
    await run(async () => {
      if (next.size > mostBytes) throw new UnreadableFile('size')
      const content = await next.arrayBuffer()
      setIsGuessed(false)
      if (isKeepass(content)) return setChosen({ kind: 'locked', locked: { kind: 'keepass', file: content } })
      const { text, encoding } = decodeText(new Uint8Array(content))
      setIsGuessed(encoding === 'windows-1252')
      setChosen(chosenOf(text, uses))
    })
  }
  const chooseAgain = useEffectEvent(choose)
  useEffect(() => {
    if (begun) void chooseAgain(begun.file, begun.uses)
  }, [begun])
  const read = chosen?.kind === 'table' ? entriesOf(chosen.table, chosen.uses) : undefined
  return (
    <section aria-labelledby="import">
      <h2 id="import">{words.importTitle}</h2>
      <p className="soft">{words.importText}</p>
      <p className="buttons">
        <FileTrigger
          acceptedFileTypes={['.csv', '.tsv', '.txt', '.json', '.kdbx', 'text/csv', 'application/json']}
          onSelect={(files) => void choose(files?.[0])}
        >
          <Button className="button" isDisabled={isImporting}>
            <FileInput aria-hidden />
            {file ? words.otherFile : chooseFile}
          </Button>
        </FileTrigger>
        <span className="file-name">{file?.name}</span>
      </p>
      <Unopened error={error} />
      {isGuessed && chosen !== undefined && <p role="status">{words.guessed}</p>}
      {chosen?.kind === 'locked' && (
        <Unlock locked={chosen.locked} onRead={(opened) => setChosen({ kind: 'items', read: opened })} />
      )}
      {file && chosen?.kind === 'table' && read && (
        <>
          {!isImporting && (
            <ColumnTable table={chosen.table} uses={chosen.uses} onChange={(uses) => setChosen({ ...chosen, uses })} />
          )}
          <ImportPreview
            key={chosen.uses.join()}
            {...{ vaultid, contents, read }}
            begun={{ file, uses: chosen.uses }}
            onUnderWay={onImporting}
          />
        </>
      )}
      {file && chosen?.kind === 'items' && (
        <ImportPreview {...{ vaultid, contents }} begun={{ file }} read={chosen.read} onUnderWay={onImporting} />
      )}
    </section>
  )
}

/** Recognizes the format of a text file, whose columns may have been given a use before. @throws UnreadableFile */
function chosenOf(text: string, uses?: readonly ColumnUse[]): Chosen {
  const bitwarden = isBitwarden(text)
  if (bitwarden === 'protected') return { kind: 'locked', locked: { kind: 'bitwarden', text } }
  if (bitwarden === 'open') return { kind: 'items', read: readBitwarden(text) }
  const table = readTable(text)
  const isSame = uses?.length === table.headings.length
  return { kind: 'table', table, uses: isSame ? uses : guessUses(table.headings) }
}
