import { useRef, useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { TextInput } from '../controls/text-input.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { useWordsOf } from '../words/spoken.tsx'
import { type ReadFile, UnreadableFile } from './entry.ts'
import { exchangeWords } from './exchange-words.ts'

/** Opens a file by its pass phrase. `tell` hears how much is done, from 0 to 1. */
export type OpenLocked = (
  passphrase: string,
  signal: AbortSignal,
  tell: (progress: number) => void,
) => Promise<ReadFile>

interface Props {
  readonly open: OpenLocked
  readonly onRead: (read: ReadFile) => void
}

/** The pass phrase of a protected file, which is tried in the browser alone. */
export function Unlock({ open, onRead }: Props) {
  const words = useWordsOf(exchangeWords)
  const [passphrase, setPassphrase] = useState('')
  const [progress, setProgress] = useState<number>()
  const stopping = useRef<AbortController>(undefined)
  const { isUnderWay, error, run } = useAction()

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault()
    const stopper = new AbortController()
    stopping.current = stopper
    setProgress(undefined)
    void run(async (signal) => {
      try {
        const either = AbortSignal.any([signal, stopper.signal])
        const read = await open(passphrase, either, setProgress)
        either.throwIfAborted()
        onRead(read)
      } catch (failure) {
        if (!stopper.signal.aborted) throw failure
      }
    })
  }
  return (
    <Form className="form" onSubmit={submit}>
      <Unopened error={error} />
      <TextInput
        label={words.filePassphrase}
        type="password"
        autoComplete="off"
        isRequired
        value={passphrase}
        onChange={setPassphrase}
      />
      <p className="buttons">
        <Button type="submit" className="button" isDisabled={isUnderWay}>
          {words.openFile}
        </Button>
        {isUnderWay && (
          <Button className="button" onPress={() => stopping.current?.abort()}>
            {words.stop}
          </Button>
        )}
      </p>
      <p role="status">{isUnderWay && words.opening}</p>
      {isUnderWay && <progress value={progress} aria-label={words.opening} />}
    </Form>
  )
}

/** Why a file was not opened or read, if so. */
export function Unopened({ error }: { readonly error: unknown }) {
  const words = useWordsOf(exchangeWords)
  if (error === undefined) return null
  return error instanceof UnreadableFile ? (
    <p role="alert" className="wrong">
      {words.unreadable[error.why]}
    </p>
  ) : (
    <Trouble error={error} />
  )
}
