import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { announce } from '../controls/announcement.tsx'
import { useAction } from '../controls/action.ts'
import { saveFile } from '../controls/file-download.ts'
import { PassphraseInput } from '../controls/passphrase-input.tsx'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type Contents } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { exchangeWords } from './exchange-words.ts'
import { hasFile, isAlarmed, readArchive, sealArchive } from './export-run.ts'

const shortest = 12
const isTooShort = (passphrase: string): boolean => passphrase.length < shortest

/** Exports the objects of a vault that the person may read, as one encrypted file. */
export function ExportPart({ vaultid, contents }: { readonly vaultid: string; readonly contents: Contents }) {
  const words = useWordsOf(exchangeWords)
  const alarmed = contents.OBJECTS.filter(isAlarmed).length
  const files = contents.OBJECTS.filter(hasFile).length
  const all = contents.OBJECTS.length
  const [withAlarmed, setWithAlarmed] = useState(false)
  const [passphrase, setPassphrase] = useState('')
  const [again, setAgain] = useState('')
  const [isTried, setIsTried] = useState(false)
  const [done, setDone] = useState<number>()
  const [leftOut, setLeftOut] = useState<readonly string[]>([])
  const queries = useQueryClient()
  const { isUnderWay, error, run } = useAction()

  async function make(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    setIsTried(true)
    if (isTooShort(passphrase) || passphrase !== again) return
    await run(async (signal) => {
      setDone(0)
      setLeftOut([])
      // The contents are read again, so that an object which raises an alarm since the last load is not read unasked.
      const now = await call('vault.read', { params: { vaultid }, signal })
      queries.setQueryData(['vault', vaultid], now)
      const { archive, leftOut: unread } = await readArchive({ contents: now, withAlarmed }, signal, setDone)
      setDone(now.OBJECTS.length)
      const bytes = await sealArchive(archive, passphrase)
      if (signal.aborted) return
      saveFile(`strongroom-${archive.exported.slice(0, 10)}.json.age`, bytes)
      setPassphrase('')
      setAgain('')
      setIsTried(false)
      announce(words.exported(archive.objects.length))
      setLeftOut(unread)
    })
    setDone(undefined)
  }
  return (
    <section aria-labelledby="export">
      <h2 id="export">{words.exportTitle}</h2>
      <p className="soft">{words.exportText}</p>
      <p className="soft">{words.recorded}</p>
      {files > 0 && <p className="soft">{words.noFiles(files)}</p>}
      <Form className="form" onSubmit={(event) => void make(event)}>
        {alarmed > 0 && (
          <NativeCheckbox
            label={`${words.alarmed(alarmed)} ${words.withAlarmed(alarmed)}`}
            isChecked={withAlarmed}
            onChange={setWithAlarmed}
          />
        )}
        <NewPassphrase
          passphrase={passphrase}
          again={again}
          isTried={isTried}
          onPassphrase={setPassphrase}
          onAgain={setAgain}
        />
        {done !== undefined && <ReadingProgress done={done} all={all} />}
        <LeftOut names={leftOut} />
        {error !== undefined && <ErrorMessage error={error} />}
        <Button type="submit" className="button" isDisabled={isUnderWay}>
          <Download aria-hidden />
          {words.exportGo}
        </Button>
      </Form>
    </section>
  )
}

interface NewPassphraseProps {
  readonly passphrase: string
  readonly again: string
  /** Whether the person has tried to export. Errors are shown from then on. */
  readonly isTried: boolean
  readonly onPassphrase: (text: string) => void
  readonly onAgain: (text: string) => void
}

/** A pass phrase, typed twice because a typing error would make the archive useless. */
function NewPassphrase({ passphrase, again, isTried, onPassphrase, onAgain }: NewPassphraseProps) {
  const words = useWordsOf(exchangeWords)
  const isShort = isTooShort(passphrase)
  return (
    <>
      <PassphraseInput
        label={words.exportPassphrase}
        description={words.exportPassphraseHelp}
        value={passphrase}
        onChange={onPassphrase}
        error={isTried && isShort ? words.tooShort : undefined}
      />
      <PassphraseInput
        label={words.again}
        value={again}
        onChange={onAgain}
        error={isTried && !isShort && passphrase !== again ? words.differs : undefined}
      />
    </>
  )
}

const mostNamed = 100

/** The objects that were left out, because they are denied or damaged. */
function LeftOut({ names }: { readonly names: readonly string[] }) {
  const words = useWordsOf(exchangeWords)
  return (
    <div role="status">
      {names.length > 0 && (
        <>
          <p>{words.leftOut(names.length)}</p>
          <ul>
            {names.slice(0, mostNamed).map((name, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- two objects may have one name
              <li key={at}>{name}</li>
            ))}
            {names.length > mostNamed && <li>{words.andMore(names.length - mostNamed)}</li>}
          </ul>
        </>
      )}
    </div>
  )
}

function ReadingProgress({ done, all }: { readonly done: number; readonly all: number }) {
  const words = useWordsOf(exchangeWords)
  return (
    <>
      <progress value={done} max={all} aria-label={words.progress(done, all)} />
      <p role="status">{done < all ? words.reading : words.sealing}</p>
    </>
  )
}
