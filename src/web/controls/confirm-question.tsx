import { Button } from 'react-aria-components/Button'
import { useAction } from './action.ts'
import { Question } from './question.tsx'
import { ErrorMessage } from './error-message.tsx'
import { useWords } from '../words/spoken.tsx'

interface Props {
  readonly title: string
  readonly text: string
  /** Text of the confirming button. */
  readonly doText: string
  readonly onDo: (signal: AbortSignal) => Promise<void>
  readonly onClose: () => void
}

/** Asks before something is ended or removed. It stays with the error where the call fails. */
export function ConfirmQuestion({ title, text, doText, onDo, onClose }: Props) {
  const words = useWords()
  const { error, run } = useAction()
  const act = async (): Promise<void> => {
    if (await run(onDo)) onClose()
  }
  return (
    <Question
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button className="button" onPress={onClose}>
            {words.cancel}
          </Button>
          <Button className="button danger" onPress={() => void act()}>
            {doText}
          </Button>
        </>
      }
    >
      {error !== undefined && <ErrorMessage error={error} />}
      <p>{text}</p>
    </Question>
  )
}
