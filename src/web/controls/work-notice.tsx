import { LoaderCircle } from 'lucide-react'
import { useWords } from '../words/language.tsx'
import { useIsSlow } from './slow-work.ts'
import { useWatched } from './watched.ts'
import { workUnderWay } from './work-under-way.ts'

/** Longer than most calls, and than the wait after which a button says itself that it works. */
const patienceMs = 1_000

/** Says that a task of the person takes long. */
export function WorkNotice() {
  const words = useWords()
  const isLong = useIsSlow(useWatched(workUnderWay) > 0, patienceMs)
  return (
    <div role="status">
      {isLong && (
        <p className="card working">
          <LoaderCircle aria-hidden />
          {words.underWay}
        </p>
      )}
    </div>
  )
}
