import { useIsSlow } from './slow-work.ts'
import { useWords } from '../words/language.tsx'

/** Says that something is loading, once it takes long. */
export function Loading() {
  const words = useWords()
  const isSlow = useIsSlow(true)
  return (
    <p className="loading" role="status">
      {isSlow ? words.loading : ''}
    </p>
  )
}
