import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useStoppableAction } from '../controls/stoppable-action.ts'
import { FileInput } from '../controls/file-input.tsx'
import { PassphraseInput } from '../controls/passphrase-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useWordsOf } from '../words/language.tsx'
import { mostBytes, type ReadFile, UnreadableFile } from './entry.ts'
import { exchangeWords } from './exchange-words.ts'
import { openLocked } from './opening/locked-file.ts'
import type { LockedFile } from './opening/opening-worker.ts'

interface Props {
  readonly locked: LockedFile
  readonly onRead: (read: ReadFile) => void
}

/** The form for the pass phrase and key file of an encrypted file. Both are used in the browser only. */
export function Unlock({ locked, onRead }: Props) {
  const words = useWordsOf(exchangeWords)
  const [passphrase, setPassphrase] = useState('')
  const [keyFile, setKeyFile] = useState<File>()
  const [progress, setProgress] = useState<number>()
  const { isUnderWay, error, run, stop } = useStoppableAction()

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    setProgress(undefined)
    void run(async (signal) => {
      if (keyFile !== undefined && keyFile.size > mostBytes) throw new UnreadableFile('keyFile')
      const key = { passphrase, keyFile: await keyFile?.arrayBuffer() }
      const read = await openLocked({ ...locked, ...key }, signal, setProgress)
      signal.throwIfAborted()
      onRead(read)
    })
  }
  return (
    <Form className="form" onSubmit={submit}>
      <Unopened error={error} />
      <PassphraseInput
        label={words.filePassphrase}
        autoComplete="off"
        isRequired={keyFile === undefined}
        value={passphrase}
        onChange={setPassphrase}
      />
      {locked.kind === 'keepass' && (
        <FileInput label={words.keyFile} description={words.keyFileHelp} file={keyFile} onChoose={setKeyFile} />
      )}
      <p className="buttons">
        <Button type="submit" className="button" isDisabled={isUnderWay}>
          {words.openFile}
        </Button>
        {isUnderWay && (
          <Button className="button" onPress={stop}>
            {words.stop}
          </Button>
        )}
      </p>
      <p role="status">{isUnderWay && words.opening}</p>
      {isUnderWay && <progress value={progress} aria-label={words.opening} />}
    </Form>
  )
}

/** The error of a file that was not opened or read, if there is one. */
export function Unopened({ error }: { readonly error: unknown }) {
  const words = useWordsOf(exchangeWords)
  if (error === undefined) return null
  return error instanceof UnreadableFile ? (
    <p role="alert" className="wrong">
      {words.unreadable[error.why]}
    </p>
  ) : (
    <ErrorMessage error={error} />
  )
}
