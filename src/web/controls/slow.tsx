import { useLate } from './late.ts'
import { useWords } from '../words/spoken.tsx'

/** Says that something is on its way, where it is not there at once. */
export function Slow() {
  const words = useWords()
  const isLate = useLate(true)
  return (
    <p className="slow" role="status">
      {isLate ? words.loading : ''}
    </p>
  )
}
