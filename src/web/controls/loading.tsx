import { useLate } from './late.ts'
import { useWords } from '../words/spoken.tsx'

/** Says that something is loading, once it takes long. */
export function Loading() {
  const words = useWords()
  const isLate = useLate(true)
  return (
    <p className="loading" role="status">
      {isLate ? words.loading : ''}
    </p>
  )
}
