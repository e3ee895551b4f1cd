import { ErrorMessage } from './error-message.tsx'
import { ViewTitle } from './view-title.tsx'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly error: unknown
  readonly onTryAgain: () => unknown
}

/** Replaces a view whose data could not be read. */
export function NotLoaded({ error, onTryAgain }: Props) {
  const words = useWords()
  return (
    <div className="page">
      <ViewTitle text={words.notLoaded} />
      <ErrorMessage error={error} onTryAgain={onTryAgain} />
    </div>
  )
}
