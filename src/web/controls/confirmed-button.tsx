import { useState, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from './action.ts'
import { Question } from './question.tsx'
import { useIsSlow } from './slow-work.ts'
import { ErrorMessage } from './error-message.tsx'
import { useWords } from '../words/language.tsx'

interface QuestionProps {
  readonly title: string
  readonly question: string
  /** Text of the button, and of the one that confirms. */
  readonly text: string
  readonly onConfirm: (signal: AbortSignal) => Promise<void>
}

interface Props extends QuestionProps {
  readonly icon?: ReactNode
  /** Its name for screen readers, where several buttons have the same text. */
  readonly label?: string
  readonly isSmall?: boolean
}

/** A button that asks before it ends or removes something. */
export function ConfirmedButton({ icon, label, isSmall = false, ...question }: Props) {
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <Button
        className={isSmall ? 'button small' : 'button'}
        aria-label={label ?? question.text}
        onPress={() => setIsAsked(true)}
      >
        {icon}
        {question.text}
      </Button>
      {isAsked && <ConfirmQuestion {...question} onClose={() => setIsAsked(false)} />}
    </>
  )
}

/** It stays with the error where the call fails. */
function ConfirmQuestion({
  title,
  question,
  text,
  onConfirm,
  onClose,
}: QuestionProps & { readonly onClose: () => void }) {
  const words = useWords()
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  const act = async (): Promise<void> => {
    if (await run(onConfirm)) onClose()
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
            {isSlow ? words.underWay : text}
          </Button>
        </>
      }
    >
      {error !== undefined && <ErrorMessage error={error} />}
      <p>{question}</p>
    </Question>
  )
}
