import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { userWords } from './user-words.ts'

interface Props {
  readonly userid: string
  readonly username: string
  readonly fullname: string
}

/** Warns that giving a user a pass phrase or factor is a recovery. Shown only for another user than oneself. */
export function RecoveryWarning({ userid, username, fullname }: Props) {
  const words = useWordsOf(userWords)
  const { person } = useSession()
  if (person?.userid === userid) return null
  return (
    <section className="recovery" aria-label={words.restTitle}>
      <p>{words.restNot}</p>
      <p>{words.restText(fullname)}</p>
      <p>{words.restConfirm}</p>
      <p>
        <code>{`strongroom vault confirm VAULT ${username}`}</code>
      </p>
    </section>
  )
}
