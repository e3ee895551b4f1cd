import { Clock } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Question } from '../controls/question.tsx'
import { useWords } from '../words/language.tsx'

/** Warns a minute before the page is locked (WCAG 2.2.1). */
export function IdleWarning({ onStay }: { readonly onStay: () => void }) {
  const words = useWords()
  const stay = (
    <Button className="button primary" autoFocus onPress={onStay}>
      {words.stay}
    </Button>
  )
  return (
    <Question icon={<Clock aria-hidden />} title={words.idleTitle} actions={stay} onClose={onStay}>
      <p>{words.idleText}</p>
    </Question>
  )
}
