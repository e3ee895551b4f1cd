import { FileInput } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { useAction } from '../controls/action.ts'
import { TextInput } from '../controls/text-input.tsx'
import { Trouble } from '../controls/trouble.tsx'
import type { Contents } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { isBitwarden, openBitwarden, readBitwarden } from './bitwarden-reading.ts'
import { ColumnTable } from './column-table.tsx'
import { entriesOf, guessUses, readTable, type ColumnUse, type Table } from './csv-reading.ts'
import { mostBytes, UnreadableFile, type ReadFile } from './entry.ts'
import { exchangeWords } from './exchange-words.ts'
import { ImportPreview } from './import-preview.tsx'
import { decodeText } from './text-decoding.ts'

interface Props {
  readonly vaultid: string
  readonly contents: Contents
}

/** A file that was chosen, as far as it has been read. */
type Chosen =
  | { readonly kind: 'table'; readonly table: Table; readonly uses: readonly ColumnUse[] }
  | { readonly kind: 'items'; readonly read: ReadFile }
  | { readonly kind: 'locked'; readonly text: string }

/** From the choice of a file to its preview. Nothing of the file is in a call before the preview's button. */
export function ImportPart({ vaultid, contents }: Props) {
  const words = useWordsOf(exchangeWords)
  const [chosen, setChosen] = useState<Chosen>()
  const [isGuessed, setIsGuessed] = useState(false)
  const [name, setName] = useState('')
  const [isImporting, setIsImporting] = useState(false)
  const { error, run } = useAction()

  async function choose(file: File | undefined): Promise<void> {
    if (file === undefined) return
    setChosen(undefined)
    setName(file.name)
    await run(async () => {
      if (file.size > mostBytes) throw new UnreadableFile('size')
      const { text, encoding } = decodeText(new Uint8Array(await file.arrayBuffer()))
      setIsGuessed(encoding === 'windows-1252')
      setChosen(chosenOf(text))
    })
  }
  async function unlock(text: string, passphrase: string): Promise<void> {
    await run(async () => {
      setChosen({ kind: 'items', read: readBitwarden(await openBitwarden(text, passphrase)) })
    })
  }
  const read = chosen?.kind === 'table' ? entriesOf(chosen.table, chosen.uses) : undefined
  return (
    <section aria-labelledby="import">
      <h2 id="import">{words.importTitle}</h2>
      <p className="soft">{words.importText}</p>
      <p className="buttons">
        <FileTrigger
          acceptedFileTypes={['.csv', '.tsv', '.txt', '.json', 'text/csv', 'application/json']}
          onSelect={(files) => void choose(files?.[0])}
        >
          <Button className="button" isDisabled={isImporting}>
            <FileInput aria-hidden />
            {name === '' ? words.choose : words.otherFile}
          </Button>
        </FileTrigger>
        <span className="file-name">{name}</span>
      </p>
      {error instanceof UnreadableFile ? (
        <p role="alert" className="wrong">
          {words.unreadable[error.why]}
        </p>
      ) : (
        error !== undefined && <Trouble error={error} />
      )}
      {isGuessed && chosen !== undefined && <p role="status">{words.guessed}</p>}
      {chosen?.kind === 'locked' && <Unlock onOpen={(passphrase) => void unlock(chosen.text, passphrase)} />}
      {chosen?.kind === 'table' && read && (
        <>
          {!isImporting && (
            <ColumnTable table={chosen.table} uses={chosen.uses} onChange={(uses) => setChosen({ ...chosen, uses })} />
          )}
          <ImportPreview key={chosen.uses.join()} {...{ vaultid, contents, read }} onUnderWay={setIsImporting} />
        </>
      )}
      {chosen?.kind === 'items' && (
        <ImportPreview {...{ vaultid, contents }} read={chosen.read} onUnderWay={setIsImporting} />
      )}
    </section>
  )
}

/** The pass phrase of a protected file, which is tried in the browser alone. */
function Unlock({ onOpen }: { readonly onOpen: (passphrase: string) => void }) {
  const words = useWordsOf(exchangeWords)
  const [passphrase, setPassphrase] = useState('')
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    onOpen(passphrase)
  }
  return (
    <Form className="form" onSubmit={submit}>
      <TextInput
        label={words.filePassphrase}
        type="password"
        autoComplete="off"
        isRequired
        value={passphrase}
        onChange={setPassphrase}
      />
      <Button type="submit" className="button">
        {words.openFile}
      </Button>
    </Form>
  )
}

/** @throws UnreadableFile */
function chosenOf(text: string): Chosen {
  const bitwarden = isBitwarden(text)
  if (bitwarden === 'protected') return { kind: 'locked', text }
  if (bitwarden === 'open') return { kind: 'items', read: readBitwarden(text) }
  const table = readTable(text)
  return { kind: 'table', table, uses: guessUses(table.headings) }
}
