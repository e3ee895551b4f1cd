import { Button } from 'react-aria-components/Button'
import { useIsSlow } from '../controls/slow-work.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import type { useSaving } from './use-saving.ts'

interface Props {
  readonly saving: ReturnType<typeof useSaving>
  readonly submitText: string
  /** Address to which the cancel link leads. */
  readonly back: string
  readonly file: File | undefined
  /** Said after an error. */
  readonly advice?: string | undefined
}

/** The end of a form: its buttons, the progress of the upload, and the error. */
export function SaveBar({ saving, submitText, back, file, advice }: Props) {
  const words = useWords()
  const own = useWordsOf(editingWords)
  const { isUnderWay, error, share, isStopped, stop } = saving
  const isSlow = useIsSlow(isUnderWay)
  return (
    <div className="save-bar">
      {error !== undefined && <ErrorMessage error={error} advice={advice} />}
      {isStopped && (
        <p role="status" className="soft">
          {own.canceled}
        </p>
      )}
      {isUnderWay && file && (
        <div className="upload">
          <progress max={1} value={share} aria-label={own.sending(file.name)} />
          <p>{share < 1 ? own.sent(Math.floor(share * 100)) : own.encrypting}</p>
          <Button className="button small" onPress={stop}>
            {own.cancelSending}
          </Button>
        </div>
      )}
      <div className="buttons">
        <a className="button" href={back}>
          {words.cancel}
        </a>
        <Button type="submit" className="button primary">
          {isSlow ? own.saving : submitText}
        </Button>
      </div>
    </div>
  )
}
