import { MonitorSmartphone } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { LongList } from '../controls/long-list.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type AdministeredUser, type OpenSession } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { MomentText, momentWords } from '../controls/moment-text.tsx'
import { useUserSessions, useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

/** The open sessions of a user. */
export function UserSessions({ user }: { readonly user: AdministeredUser }) {
  const words = useWordsOf(userWords)
  const { data, error, refetch } = useUserSessions(user.id)
  const done = useUsersDone()
  const action = useAction()
  const endOne = (sessionid: string): Promise<boolean> =>
    action.run(async (signal) => {
      await call('user.session.end', { params: { userid: user.id, sessionid }, signal })
      await done(words.sessionEnded)
    }, sessionid)
  async function endAll(signal: AbortSignal): Promise<void> {
    const { CALLINFO } = await call('user.sessions.end', { params: { userid: user.id }, signal })
    await done(words.sessionsEnded(CALLINFO.ended))
  }
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{words.sessions}</h2>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      {!error && data === undefined && <Loading />}
      {data?.length === 0 && <p className="soft">{words.noSessions}</p>}
      {data !== undefined && data.length > 0 && (
        <>
          <LongList className="entries" items={data} textOf={addressOf}>
            {(session) => <SessionEntry key={session.id} session={session} onEnd={() => void endOne(session.id)} />}
          </LongList>
          <div className="acts">
            <ConfirmedButton
              text={words.endAll}
              title={words.endAllTitle(user.fullname)}
              question={words.endAllText}
              onConfirm={endAll}
            />
          </div>
        </>
      )}
    </section>
  )
}

const addressOf = ({ address, application }: OpenSession): string => `${address}\n${application}`

interface SessionProps {
  readonly session: OpenSession
  readonly onEnd: () => void
}

function SessionEntry({ session, onEnd }: SessionProps) {
  const words = useWordsOf(userWords)
  const { locale, sessionFrom } = useWords()
  const { address, application, created, last_seen: lastSeen, current } = session
  return (
    <li className="entry">
      <span className="tile">
        <MonitorSmartphone aria-hidden />
      </span>
      <span className="texts">
        <span className="title">{sessionFrom(address, application)}</span>
        <span className="soft">
          {words.loggedInAt} <MomentText at={created} />
          {' · '}
          {words.lastSeen} <MomentText at={lastSeen} />
        </span>
      </span>
      {current ? (
        <span className="right">{words.yourSession}</span>
      ) : (
        <Button
          className="button small"
          aria-label={words.endSessionOf(address, momentWords(created, locale))}
          onPress={onEnd}
        >
          {words.endSession}
        </Button>
      )}
    </li>
  )
}
