import { TriangleAlert } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { sentenceOf } from '../words/error-sentence.ts'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly error: unknown
  readonly onTryAgain?: () => unknown
}

const bringIntoSight = (message: HTMLElement | null): void => message?.scrollIntoView({ block: 'nearest' })

/**
 * The sentence of an error, and a button that tries again. Without that button, it is the error of what the person has just
 * done, and the page scrolls to it.
 */
export function ErrorMessage({ error, onTryAgain }: Props) {
  const words = useWords()
  const { text, lang, detail, number, waitSeconds } = sentenceOf(error, words)
  return (
    <div className="error-message" role="alert" ref={onTryAgain ? null : bringIntoSight}>
      <TriangleAlert aria-hidden />
      <p>
        <span lang={lang}>{text}</span>
        {number !== undefined && ` (${number})`}
        {detail !== undefined && (
          <>
            {' '}
            <span lang="en">{detail}</span>
          </>
        )}
        {waitSeconds !== undefined && ` ${words.waitFor(waitSeconds)}`}
      </p>
      {onTryAgain && (
        <Button className="button small" onPress={() => onTryAgain()}>
          {words.tryAgain}
        </Button>
      )}
    </div>
  )
}
