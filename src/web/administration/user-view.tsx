import { Lock, LockOpen, Pencil, RotateCcwKey } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { useSession } from '../session/session.tsx'
import { useOpened } from '../session/typed-state.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { EditUserDialog, userTyping } from './edit-user-dialog.tsx'
import { Told } from './once-shown.tsx'
import { ResetDialog, resetTyping } from './reset-dialog.tsx'
import { UserCertificate } from './user-certificate.tsx'
import { UserDevices } from './user-devices.tsx'
import { UserPasskeys } from './user-passkeys.tsx'
import { UserSessions } from './user-sessions.tsx'
import { readStatus, useUser, useUsersDone } from './user-reads.ts'
import { activated, isActive } from './user-status.ts'
import { userWords } from './user-words.ts'
import { StatusMarks } from './users-view.tsx'

/** One user, with all factors. */
export function UserView({ userid }: { readonly userid: string }) {
  const words = useWordsOf(userWords)
  const { parts } = useWordsOf(administrationWords)
  const { where } = useWords()
  const { data: user, error, refetch } = useUser(userid)
  const [told, setTold] = useState<readonly string[]>([])
  if (hidesData(error, user)) return <NotLoaded error={error} onTryAgain={refetch} />
  if (!user) return <Loading />
  return (
    <div className="page administered">
      <nav className="crumbs" aria-label={where}>
        <a href="#/administration/users">{parts.users}</a>
      </nav>
      <ViewHeading title={user.fullname} kind={parts.users}>
        <StatusMarks status={Number(user.status)} />
      </ViewHeading>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      <Told sentences={told} />
      <section aria-label={words.account}>
        <dl className="fields card">
          <Entry name={words.username} value={user.username} />
          <Entry name={words.email} value={user.email} />
          <Entry name={words.fingerprint} value={user.fingerprint} isCode />
        </dl>
        <AccountActs user={user} onTold={setTold} />
      </section>
      <UserDevices user={user} onTold={setTold} />
      <UserPasskeys user={user} />
      <UserCertificate user={user} onTold={setTold} />
      <UserSessions user={user} />
    </div>
  )
}

interface EntryProps {
  readonly name: string
  readonly value: string
  readonly isCode?: boolean
}

const Entry = ({ name, value, isCode = false }: EntryProps) => (
  <div>
    <dt>{name}</dt>
    <dd className={isCode ? 'value code' : 'value'}>{value}</dd>
  </div>
)

interface ActsProps {
  readonly user: AdministeredUser
  readonly onTold: (sentences: readonly string[]) => void
}

function AccountActs({ user, onTold }: ActsProps) {
  const words = useWordsOf(userWords)
  const { edit } = useWordsOf(administrationWords)
  const { person } = useSession()
  const [asked, setAsked] = useOpened<'edit' | 'reset'>(() => [
    ['edit', userTyping, user.id],
    ['reset', resetTyping, user.id],
  ])
  const done = useUsersDone()
  const { error, run } = useAction()
  const close = (): void => setAsked(undefined)
  const status = Number(user.status)
  const isOwn = person?.userid === user.id
  async function lock(signal: AbortSignal): Promise<void> {
    await call('user.disable', { params: { userid: user.id }, signal })
    await done(words.lockedNow(user.fullname))
  }
  const unlock = (): Promise<boolean> =>
    run(async (signal) => {
      const body = { status: activated(await readStatus(user, signal)) }
      await call('user.edit', { params: { userid: user.id }, body, signal })
      await done(words.unlockedNow(user.fullname))
    })
  return (
    <>
      <div className="acts">
        <Button className="button" onPress={() => setAsked('edit')}>
          <Pencil aria-hidden />
          {edit}
        </Button>
        {!isOwn && (
          <Button className="button" onPress={() => setAsked('reset')}>
            <RotateCcwKey aria-hidden />
            {words.reset}
          </Button>
        )}
        {isActive(status) ? (
          <ConfirmedButton
            icon={<Lock aria-hidden />}
            text={words.lock}
            title={words.lockTitle(user.fullname)}
            question={words.lockText}
            onConfirm={lock}
          />
        ) : (
          <Button className="button" onPress={() => void unlock()}>
            <LockOpen aria-hidden />
            {words.unlock}
          </Button>
        )}
      </div>
      {isOwn && <p className="soft hint">{words.ownPassphrase}</p>}
      {error !== undefined && <ErrorMessage error={error} />}
      {asked === 'edit' && <EditUserDialog user={user} onClose={close} />}
      {asked === 'reset' && <ResetDialog user={user} onTold={onTold} onClose={close} />}
    </>
  )
}
