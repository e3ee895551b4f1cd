import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { Question } from '../controls/question.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { useWords } from '../words/spoken.tsx'

interface Props {
  readonly title: string
  readonly text: string
  /** What the button says that does it. */
  readonly doText: string
  readonly onDo: (signal: AbortSignal) => Promise<void>
  readonly onClose: () => void
}

/** Asks before something that ends or takes away; stays, with the error, where it is refused. */
export function SureQuestion({ title, text, doText, onDo, onClose }: Props) {
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
      {error !== undefined && <Trouble error={error} />}
      <p>{text}</p>
    </Question>
  )
}
