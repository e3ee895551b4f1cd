import { useQueryClient } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { LongList } from '../controls/long-list.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { momentWords } from '../controls/moment-text.tsx'
import { call, type OpenSession } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { ownSessionsKey, useOwnSessions } from './me-reads.ts'
import { meWords } from './me-words.ts'

/** The person's open sessions. The present one is ended by the logout. */
export function SessionSection({ userid }: { readonly userid: string }) {
  const words = useWordsOf(meWords)
  const queries = useQueryClient()
  const { data, error, refetch } = useOwnSessions(userid)
  const { locale, sessionFrom } = useWords()
  const action = useAction()
  const moment = (text: string): string => momentWords(text, locale)
  const end = async (task: (signal: AbortSignal) => Promise<number>, row?: string): Promise<void> => {
    const isDone = await action.run(async (signal) => announce(words.ended(await task(signal))), row)
    if (isDone) await queries.invalidateQueries({ queryKey: ownSessionsKey })
  }
  const endOne = (sessionid: string) =>
    end(async (signal) => {
      await call('user.session.end', { params: { userid, sessionid }, signal })
      return 1
    }, sessionid)
  const endOthers = () => end(async (signal) => (await call('me.sessions.end', { signal })).CALLINFO.ended)
  if (error && !data) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const { sessions } = data.CALLINFO
  return (
    <>
      {action.error !== undefined && <ErrorMessage error={action.error} />}
      <LongList className="items" items={sessions} textOf={addressOf}>
        {({ id, address, application, created, last_seen: seen, current }) => (
          <li key={id}>
            <span className="tile">
              <Monitor aria-hidden />
            </span>
            <span className="texts">
              <span className="title">{sessionFrom(address, application)}</span>
              <span className="soft">
                {words.since(moment(created))}, {words.lastSeen(moment(seen))}
              </span>
            </span>
            {current ? (
              <span className="right">{words.thisSession}</span>
            ) : (
              <Button
                className="button small"
                aria-label={words.endSession(address, moment(created))}
                onPress={() => void endOne(id)}
              >
                {words.end}
              </Button>
            )}
          </li>
        )}
      </LongList>
      {sessions.length > 1 && (
        <div className="buttons">
          <Button className="button" onPress={() => void endOthers()}>
            {words.endOthers}
          </Button>
        </div>
      )}
    </>
  )
}

const addressOf = ({ address, application }: OpenSession): string => `${address}\n${application}`
