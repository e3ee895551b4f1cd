import { TriangleAlert } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { mayBeDone } from '../interface/refusal.ts'
import { sentenceOf } from '../words/error-sentence.ts'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly error: unknown
  /** Said after it; otherwise, of a change without an answer, that it may have been made. */
  readonly advice?: string | undefined
  readonly onTryAgain?: () => unknown
}

const bringIntoSight = (message: HTMLElement | null): void => message?.scrollIntoView({ block: 'nearest' })

/**
 * The sentence of an error, and a button that tries again. Without that button, it is the error of what the person has just
 * done, and the page scrolls to it.
 */
export function ErrorMessage({ error, advice, onTryAgain }: Props) {
  const words = useWords()
  const next = advice ?? (mayBeDone(error) ? words.mayBeDone : undefined)
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
        {next !== undefined && ` ${next}`}
      </p>
      {onTryAgain && (
        <Button className="button small" onPress={() => onTryAgain()}>
          {words.tryAgain}
        </Button>
      )}
    </div>
  )
}
