import { KeyRound, Plus, RefreshCw, Smartphone, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { momentWords } from '../controls/moment-text.tsx'
import { call, type AdministeredUser, type OtpDevice } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { AppDialog } from './app-dialog.tsx'
import { OnceShown, type OnceTold } from './once-shown.tsx'
import { ResyncDialog } from './resync-dialog.tsx'
import { FactorDates } from './factor-dates.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { useDevices, useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  /** Called with sentences about memberships that are now on hold. */
  readonly onTold: (sentences: readonly string[]) => void
}

/** The user's devices for one-time passwords. */
export function UserDevices({ user, onTold }: Props) {
  const words = useWordsOf(userWords)
  const { data, error, refetch } = useDevices(user.id)
  const [asked, setAsked] = useState<'app' | 'token'>()
  const [made, setMade] = useState<OnceTold>()
  const close = (): void => setAsked(undefined)
  return (
    <section aria-labelledby="devices">
      <h2 id="devices">{words.devices}</h2>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {!error && data === undefined && <Loading />}
      {data?.length === 0 && <p className="soft">{words.noDevices}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className="entries">
          {data.map((device) => (
            <DeviceEntry key={device.id} user={user} device={device} />
          ))}
        </ul>
      )}
      {/* With the list, which would move them away from under a pointer. */}
      {(data !== undefined || error) && (
        <div className="acts">
          <Button className="button" onPress={() => setAsked('app')}>
            <Plus aria-hidden />
            {words.addApp}
          </Button>
          <Button className="button" onPress={() => setAsked('token')}>
            <Plus aria-hidden />
            {words.addToken}
          </Button>
        </div>
      )}
      {asked === 'app' && <AppDialog user={user} onMade={setMade} onTold={onTold} onClose={close} />}
      {asked === 'token' && <TokenDialog user={user} onTold={onTold} onClose={close} />}
      {made && <OnceShown {...made} help={words.scan} onClose={() => setMade(undefined)} />}
    </section>
  )
}

function DeviceEntry({ user, device }: { readonly user: AdministeredUser; readonly device: OtpDevice }) {
  const words = useWordsOf(userWords)
  const { remove } = useWordsOf(administrationWords)
  const { locale } = useWords()
  const done = useUsersDone()
  const [isResyncing, setIsResyncing] = useState(false)
  const { id, kind, public_id: publicId } = device
  const title = [words.deviceKinds[kind], publicId].filter(Boolean).join(' ')
  // Only hardware tokens have an id: two apps of a user differ by the time at which they were added.
  const name =
    publicId === undefined ? `${title}, ${words.added.toLowerCase()} ${momentWords(device.created, locale)}` : title
  async function removeIt(signal: AbortSignal): Promise<void> {
    await call('user.otp.remove', { params: { userid: user.id, deviceid: id }, signal })
    await done(words.deviceRemoved)
  }
  return (
    <li className="entry">
      <span className="tile">{kind === 'totp' ? <Smartphone aria-hidden /> : <KeyRound aria-hidden />}</span>
      <span className="texts">
        <span className="title">{title}</span>
        <FactorDates created={device.created} used={device.used} />
      </span>
      {kind === 'hotp' && (
        <Button className="button small" aria-label={`${words.resync}: ${name}`} onPress={() => setIsResyncing(true)}>
          <RefreshCw aria-hidden />
          {words.resync}
        </Button>
      )}
      <ConfirmedButton
        isSmall
        icon={<Trash2 aria-hidden />}
        text={remove}
        label={words.removeDevice(name)}
        title={words.removeDeviceTitle}
        question={`${name}. ${words.removeDeviceText}`}
        onConfirm={removeIt}
      />
      {isResyncing && <ResyncDialog userid={user.id} deviceid={id} onClose={() => setIsResyncing(false)} />}
    </li>
  )
}
