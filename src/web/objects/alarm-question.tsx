import { BellRing } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Question } from '../controls/question.tsx'
import { useWords } from '../words/spoken.tsx'

interface Props {
  /** Name of the object. */
  readonly name: string
  readonly answer: (goesOn: boolean) => void
}

/** Asks before a secret is read whose reading raises an alarm. */
export function AlarmQuestion({ name, answer }: Props) {
  const words = useWords()
  const actions = (
    <>
      <Button className="button" autoFocus onPress={() => answer(false)}>
        {words.cancel}
      </Button>
      <Button className="button danger" onPress={() => answer(true)}>
        {words.alarmGo}
      </Button>
    </>
  )
  return (
    <Question icon={<BellRing aria-hidden />} title={words.alarmTitle} actions={actions} onClose={() => answer(false)}>
      <p>{words.alarmText(name)}</p>
    </Question>
  )
}
