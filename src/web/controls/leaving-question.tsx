import { Button } from 'react-aria-components/Button'
import { useWords } from '../words/language.tsx'
import { Question } from './question.tsx'

/** The texts of the question before a view or a dialog is left. */
export interface LeavingWords {
  readonly title: string
  readonly text: string
  readonly leave: string
}

interface Props {
  /** Without, it asks about typed input. */
  readonly asked?: LeavingWords | undefined
  readonly onStay: () => void
  readonly onLeave: () => void
}

/** Asks before something is lost that was typed, or is shown once. */
export function LeavingQuestion({ asked, onStay, onLeave }: Props) {
  const { stayHere, unsavedTitle, unsavedText, leaveUnsaved } = useWords()
  const { title, text, leave } = asked ?? { title: unsavedTitle, text: unsavedText, leave: leaveUnsaved }
  const actions = (
    <>
      <Button className="button" autoFocus onPress={onStay}>
        {stayHere}
      </Button>
      <Button className="button danger" onPress={onLeave}>
        {leave}
      </Button>
    </>
  )
  return (
    <Question title={title} actions={actions} onClose={onStay}>
      <p>{text}</p>
    </Question>
  )
}
