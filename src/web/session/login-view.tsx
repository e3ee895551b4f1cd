import { Fingerprint, IdCard, KeyRound, Smartphone } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent, type ReactNode, type Ref } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { Choice } from '../controls/choice.tsx'
import { PassphraseInput } from '../controls/passphrase-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'
import { call, type LoginBody } from '../interface/calls.ts'
import { showPasskey } from '../passkeys/webauthn.ts'
import { CardHolder } from './card-holder.tsx'
import { useIsLogoutPending } from './pending-logout.ts'
import { useRememberedKey, type RememberedKey } from './remembered-key.ts'
import { useOfferedFactors, type OfferedFactor } from './offered-factors.ts'
import { isAtCardPort, useShownCard } from './shown-card.ts'
import { useSession } from './session.tsx'
import { useIsTypingKept } from '../controls/kept-typing.ts'
import { LiveSentence } from '../controls/live-sentence.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { useWords } from '../words/language.tsx'

export function LoginView({ onShown }: { readonly onShown: () => void }) {
  const words = useWords()
  const { sessionEnd } = useSession()
  const isLogoutPending = useIsLogoutPending()
  const isTypingKept = useIsTypingKept()
  const sentences = [
    sessionEnd && words[sessionEnd],
    isLogoutPending && words.logoutPending,
    isTypingKept && words.typingKept,
  ]
  const told = sentences.filter(Boolean).join(' ')
  const types = useOfferedFactors()
  useEffect(onShown, [onShown])
  return (
    <div className="login">
      <div className="card">
        <ViewTitle text={words.login} />
        {told === '' ? (
          <p className="soft">{words.loginIntroduction}</p>
        ) : (
          <LiveSentence className="farewell" text={told} />
        )}
        {types.data ? (
          <LoginForm offered={types.data} />
        ) : types.error ? (
          <ErrorMessage error={types.error} onTryAgain={types.refetch} />
        ) : (
          <Loading />
        )}
      </div>
    </div>
  )
}

const icons: Readonly<Record<OfferedFactor, ReactNode>> = {
  totp: <Smartphone aria-hidden />,
  hwkey_otp: <KeyRound aria-hidden />,
  webauthn: <Fingerprint aria-hidden />,
  smartcard: <IdCard aria-hidden />,
}

function LoginForm({ offered }: { readonly offered: readonly OfferedFactor[] }) {
  const words = useWords()
  const { login } = useSession()
  const [chosen, setChosen] = useState(offered.find((type) => type === 'smartcard' && isAtCardPort()) ?? offered[0])
  const card = useShownCard(chosen === 'smartcard')
  const applicationKey = useRememberedKey()
  const [username, setUsername] = useState<string>()
  const [otp, setOtp] = useState('')
  const { isUnderWay, error, run } = useAction()
  const codeField = useRef<HTMLInputElement>(null)
  if (chosen === undefined) return <p>{words.noLoginType}</p>
  const lacksCard = chosen === 'smartcard' && typeof card.data !== 'string'

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (isUnderWay || chosen === undefined || lacksCard) return
    const standing = standingOf(event.currentTarget)
    const task = async (signal: AbortSignal): Promise<void> => {
      await login({ ...standing, ...(await shownAtLogin(chosen, otp, signal)) })
      applicationKey.keep(standing.apikey)
    }
    if (await run(task)) return
    // A code is valid once, so the person must type another.
    setOtp('')
    codeField.current?.focus()
  }

  return (
    <Form className="form" onSubmit={(event) => void submit(event)}>
      <TextInput
        name="username"
        label={words.username}
        value={username ?? (chosen === 'smartcard' && card.data ? card.data : '')}
        onChange={setUsername}
        isRequired
        kind="name"
        autoComplete="username"
        autoFocus
      />
      <StandingFields applicationKey={applicationKey} />
      {offered.length > 1 && (
        <Choice
          label={words.secondFactor}
          options={offered.map((value) => ({ value, icon: icons[value], text: words.factors[value] }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {chosen === 'webauthn' ? (
        <p className="soft">{words.passkeyHelp}</p>
      ) : chosen === 'smartcard' ? (
        <CardHolder card={card} />
      ) : (
        <CodeField key={chosen} isApp={chosen === 'totp'} value={otp} onChange={setOtp} inputRef={codeField} />
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      {!lacksCard && (
        <Button type="submit" className="button primary">
          {isUnderWay ? words.loggingIn : words.login}
        </Button>
      )}
    </Form>
  )
}

/** The fields that do not depend on the second factor. */
function standingOf(form: HTMLFormElement) {
  const members = new FormData(form)
  const textOf = (name: string): string => {
    const value = members.get(name)
    return typeof value === 'string' ? value : ''
  }
  return { username: textOf('username').trim(), passphrase: textOf('passphrase'), apikey: textOf('apikey').trim() }
}

/** The members of the login call for the second factor. */
async function shownAtLogin(
  logintype: OfferedFactor,
  otp: string,
  signal: AbortSignal,
): Promise<Pick<LoginBody, 'otp' | 'passkey' | 'logintype'>> {
  // The browser has shown the certificate in the TLS handshake.
  if (logintype === 'smartcard') return { logintype }
  // Apps show a code in two groups of digits.
  if (logintype !== 'webauthn') return { logintype, otp: otp.replaceAll(/\s/g, '') }
  // Each login gets a new challenge, because a refused login uses up its challenge.
  const { CALLINFO } = await call('auth.challenge', { signal })
  return { logintype, passkey: await showPasskey(CALLINFO, signal) }
}

interface CodeFieldProps {
  readonly isApp: boolean
  readonly value: string
  readonly onChange: (value: string) => void
  readonly inputRef: Ref<HTMLInputElement>
}

function CodeField({ isApp, ...field }: CodeFieldProps) {
  const words = useWords()
  return (
    <TextInput
      {...field}
      name="otp"
      label={isApp ? words.code : words.tokenPassword}
      description={isApp ? words.codeHelp : words.tokenPasswordHelp}
      isRequired
      kind="code"
      autoComplete="one-time-code"
      inputMode={isApp ? 'numeric' : 'text'}
    />
  )
}

/** The fields that every login has. */
function StandingFields({ applicationKey }: { readonly applicationKey: RememberedKey }) {
  const words = useWords()
  return (
    <>
      <PassphraseInput name="passphrase" label={words.passphrase} autoComplete="current-password" />
      <TextInput
        name="apikey"
        label={words.applicationKey}
        description={words.applicationKeyHelp}
        type="password"
        defaultValue={applicationKey.known ?? ''}
        isRequired
        autoComplete="off"
      />
      <NativeCheckbox
        label={words.rememberKey}
        isChecked={applicationKey.isRemembered}
        onChange={applicationKey.remember}
      />
    </>
  )
}
