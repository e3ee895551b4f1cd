import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/spoken.tsx'
import { userWords } from './user-words.ts'

interface Props {
  readonly userid: string
  readonly username: string
  readonly fullname: string
}

/** Said before somebody gives a user something to log in with. What one gives oneself is no recovery. */
export function RecoveryWarning({ userid, username, fullname }: Props) {
  const words = useWordsOf(userWords)
  const { person } = useSession()
  if (person?.userid === userid) return null
  return (
    <section className="recovery" aria-label={words.restTitle}>
      <p>{words.restText(fullname)}</p>
      <p>{words.restConfirm}</p>
      <p>
        <code>{`strongroom vault confirm VAULT ${username}`}</code>
      </p>
      <p className="soft">{words.restNot}</p>
    </section>
  )
}
