import { Fingerprint, Trash2 } from 'lucide-react'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type AdministeredUser, type ListedPasskey } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { FactorDates } from './factor-dates.tsx'
import { useUserPasskeys, useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

/** The user's passkeys, which replace a code at the login. Only the user can register one. */
export function UserPasskeys({ user }: { readonly user: AdministeredUser }) {
  const words = useWordsOf(userWords)
  const { data, error, refetch } = useUserPasskeys(user.id)
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">{words.passkeys}</h2>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {!error && data === undefined && <Loading />}
      {data?.length === 0 && <p className="soft">{words.noPasskeys}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className="entries">
          {data.map((passkey) => (
            <PasskeyEntry key={passkey.id} user={user} passkey={passkey} />
          ))}
        </ul>
      )}
    </section>
  )
}

function PasskeyEntry({ user, passkey }: { readonly user: AdministeredUser; readonly passkey: ListedPasskey }) {
  const words = useWordsOf(userWords)
  const { remove } = useWordsOf(administrationWords)
  const done = useUsersDone()
  const { id, name } = passkey
  async function removeIt(signal: AbortSignal): Promise<void> {
    await call('user.passkey.remove', { params: { userid: user.id, passkeyid: id }, signal })
    await done(words.passkeyRemoved)
  }
  return (
    <li className="entry">
      <span className="tile">
        <Fingerprint aria-hidden />
      </span>
      <span className="texts">
        <span className="title">{name}</span>
        <FactorDates created={passkey.created} used={passkey.used} />
      </span>
      <ConfirmedButton
        isSmall
        icon={<Trash2 aria-hidden />}
        text={remove}
        label={words.removePasskey(name)}
        title={words.removePasskeyTitle}
        question={`${name}. ${words.removeDeviceText}`}
        onConfirm={removeIt}
      />
    </li>
  )
}
