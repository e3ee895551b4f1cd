import { MomentText } from '../controls/moment-text.tsx'
import { useWordsOf } from '../words/language.tsx'
import { userWords } from './user-words.ts'

/** When a second factor was added, and when it was last used. */
export function FactorDates({ created, used }: { readonly created: string; readonly used?: string | undefined }) {
  const words = useWordsOf(userWords)
  return (
    <span className="soft">
      {words.added} <MomentText at={created} />
      {' · '}
      {used === undefined ? (
        words.notUsed
      ) : (
        <>
          {words.used} <MomentText at={used} />
        </>
      )}
    </span>
  )
}
