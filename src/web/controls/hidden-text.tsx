import { Eye, EyeOff } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { useWords } from '../words/language.tsx'

interface HiddenText {
  /** Type of the field. */
  readonly type: 'text' | 'password'
  /** Shows the text, or hides it again. */
  readonly button: ReactNode
  readonly show: () => void
}

/** Hides what is typed into the field with this label, unless the person wants to see it. */
export function useHiddenText(label: string): HiddenText {
  const words = useWords()
  const [isShown, setIsShown] = useState(false)
  const button = (
    <Button
      className="button small"
      aria-label={isShown ? words.hideField(label) : words.showField(label)}
      onPress={() => setIsShown(!isShown)}
    >
      {isShown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
      {isShown ? words.hide : words.show}
    </Button>
  )
  return { type: isShown ? 'text' : 'password', button, show: () => setIsShown(true) }
}
