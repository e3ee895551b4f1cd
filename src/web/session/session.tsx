import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { call, type LoginBody } from '../interface/calls.ts'
import { announce } from '../controls/announcement.tsx'
import { emptyClipboard } from '../controls/clipboard.ts'
import { noteActivity, useIdleness } from './idleness.ts'
import { forgetPendingLogout, sendLogout, sendPendingLogout } from './pending-logout.ts'
import { withSessionLock } from './session-lock.ts'
import { nothingTold, toldBy, withoutPassphrase, type Sentences } from './told-at-login.ts'
import { KeptJson } from '../controls/kept-json.ts'
import { forgetLists } from '../controls/list-state.ts'
import { forgetTyping, keepTyping, keepTypingOf } from '../controls/kept-typing.ts'
import { forgetDownloads } from '../controls/file-download.ts'
import { onSessionEnd } from '../interface/transport.ts'

/** The logged-in user as the page shows them. Contains no secret. */
export interface Person {
  readonly userid: string
  readonly username: string
  readonly fullname: string
  /** The person's capabilities as a bitmap, read at the login or at the last load of a page. */
  readonly userstatus: string
}

/** Why the session ended. */
export type SessionEnd = 'loggedOut' | 'sessionEnded' | 'lockedWhenIdle'

interface Session {
  readonly person: Person | undefined
  /** False while the page asks the appliance whether the session that the browser remembers is still open. */
  readonly isChecked: boolean
  readonly sessionEnd: SessionEnd | undefined
  /** Messages of the appliance at the login. */
  readonly advice: Sentences
  readonly dismissAdvice: () => void
  /** The login reported a pass phrase that is too old, and the person has not yet changed it. */
  readonly isOverdue: boolean
  /**
   * To be called when the pass phrase is changed, with the person's new status; without a status, the question is
   * dropped for this session.
   */
  readonly settlePassphrase: (userstatus?: string) => void
  readonly login: (body: LoginBody) => Promise<void>
  readonly logout: (why?: SessionEnd) => void
  /** The page is locked within a minute, unless the person stays. */
  readonly isNearlyIdle: boolean
  readonly stay: () => void
}

const SessionContext = createContext<Session | undefined>(undefined)

/**
 * Storage item that all tabs share: whose session is open. The session token is in a cookie that no script can read.
 */
const kept = new KeptJson<Person>(localStorage, 'strongroom.person')

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient()
  const [person, setPerson] = useState(() => kept.read())
  const [isChecked, setIsChecked] = useState(() => kept.read() === undefined)
  const [sessionEnd, setSessionEnd] = useState<SessionEnd>()
  const [told, setTold] = useState(nothingTold)

  const become = useCallback(
    (next: Person | undefined, why?: SessionEnd) => {
      leavePage(queries, next)
      setPerson(next)
      setTold(nothingTold)
      setIsChecked(true)
      setSessionEnd(why)
    },
    [queries],
  )
  const login = useCallback(
    (body: LoginBody) =>
      withSessionLock(async () => {
        await sendPendingLogout()
        const { CALLINFO } = await call('auth.login', { body: { ...body, session: 'cookie' } })
        forgetPendingLogout()
        noteActivity()
        const { userid, username, fullname, userstatus } = CALLINFO
        kept.write({ userid, username, fullname, userstatus })
        become({ userid, username, fullname, userstatus })
        setTold(toldBy(CALLINFO.audit))
      }),
    [become],
  )
  const logout = useCallback(
    (why: SessionEnd = 'loggedOut') => {
      // The page does not wait for the appliance, which may be unreachable.
      sendLogout()
      kept.write(undefined)
      if (why === 'loggedOut') forgetTyping()
      become(undefined, why)
    },
    [become],
  )
  const end = useCallback(() => {
    kept.write(undefined)
    become(undefined, isChecked ? 'sessionEnded' : undefined)
  }, [become, isChecked])

  const settlePassphrase = useCallback(
    (userstatus?: string) => {
      setTold(({ advice }) => ({ advice: withoutPassphrase(advice), isOverdue: false }))
      if (person && userstatus !== undefined) setPerson(keepStatus({ ...person, userstatus }))
    },
    [person],
  )

  useSessionCheck(!isChecked, (found) => {
    // A login on another port of this host replaces the cookie, which all ports share, without telling this page.
    if (found && found.userid !== kept.read()?.userid) return become(undefined, 'sessionEnded')
    if (found) setPerson(keepStatus(found))
    setIsChecked(true)
  })
  useEffect(() => (person === undefined ? undefined : onSessionEnd(end)), [person, end])
  useOtherTabs(person, become, setPerson)
  const lock = useCallback(() => logout('lockedWhenIdle'), [logout])
  const [isNearlyIdle, stay] = useIdleness(person !== undefined, lock)
  const session = useMemo<Session>(() => {
    const { advice } = told
    const dismissAdvice = (): void => setTold(({ isOverdue }) => ({ advice: {}, isOverdue }))
    const ofPassphrase = { isOverdue: told.isOverdue, settlePassphrase }
    return { person, isChecked, sessionEnd, advice, dismissAdvice, ...ofPassphrase, login, logout, isNearlyIdle, stay }
  }, [person, isChecked, sessionEnd, told, settlePassphrase, login, logout, isNearlyIdle, stay])
  return <SessionContext value={session}>{children}</SessionContext>
}

/** Removes all data of the previous person from the page. Text that they were typing is kept for them alone. */
function leavePage(queries: QueryClient, next: Person | undefined): void {
  if (next) keepTypingOf(next.userid)
  else keepTyping()
  forgetLists()
  queries.clear()
  void emptyClipboard()
  forgetDownloads()
  announce('')
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('a view outside of SessionProvider')
  return session
}

/** Stores a newly read status and returns the person. A status of someone who is no longer logged in is ignored. */
function keepStatus({ userid, userstatus }: Pick<Person, 'userid' | 'userstatus'>): Person | undefined {
  const person = kept.read()
  if (person?.userid !== userid) return person
  const next = { ...person, userstatus }
  kept.write(next)
  return next
}

/** Asks once after the page was loaded whether the session is still open, and for the person's current status. */
function useSessionCheck(
  isAsking: boolean,
  done: (found: Pick<Person, 'userid' | 'userstatus'> | undefined) => void,
): void {
  useEffect(() => {
    if (!isAsking) return undefined
    const leaving = new AbortController()
    void call('me.read', { signal: leaving.signal })
      .then(
        ({ CALLINFO }) => CALLINFO,
        () => undefined,
      )
      .then((found) => leaving.signal.aborted || done(found))
    return () => leaving.abort()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for a page
  }, [isAsking])
}

/** Follows logins and logouts of other tabs, which share the session's cookie. */
function useOtherTabs(
  person: Person | undefined,
  become: (next: Person | undefined, why?: SessionEnd) => void,
  refresh: (next: Person | undefined) => void,
): void {
  useEffect(() => {
    const hear = ({ key }: StorageEvent): void => {
      if (key !== kept.name && key !== null) return
      const next = kept.read()
      if (next?.userid !== person?.userid) become(next, next ? undefined : 'sessionEnded')
      else if (next?.userstatus !== person?.userstatus) refresh(next)
    }
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  }, [person, become, refresh])
}
