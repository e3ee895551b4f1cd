import { Fingerprint, KeyRound, Smartphone } from 'lucide-react'
import { useEffect, useRef, useState, type FormEvent, type ReactNode, type Ref } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { Choice } from '../controls/choice.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type LoginBody } from '../interface/calls.ts'
import { showPasskey } from '../passkeys/webauthn.ts'
import { useIsUnheard } from './leaving.ts'
import { useOfferedFactors, type OfferedFactor } from './offered-factors.ts'
import { useSession } from './session.tsx'
import { Said } from '../controls/said.tsx'
import { Slow } from '../controls/slow.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { useWords } from '../words/spoken.tsx'

export function LoginView({ onShown }: { readonly onShown: () => void }) {
  const words = useWords()
  const { farewell } = useSession()
  const isUnheard = useIsUnheard()
  const told = [farewell && words[farewell], isUnheard && words.logoutUnheard].filter(Boolean).join(' ')
  const types = useOfferedFactors()
  useEffect(onShown, [onShown])
  return (
    <div className="login">
      <div className="card">
        <ViewTitle text={words.login} />
        {told === '' ? <p className="soft">{words.loginIntroduction}</p> : <Said className="farewell" text={told} />}
        {types.data ? (
          <LoginForm offered={types.data} />
        ) : types.error ? (
          <Trouble error={types.error} onTryAgain={() => void types.refetch()} />
        ) : (
          <Slow />
        )}
      </div>
    </div>
  )
}

const icons: Readonly<Record<OfferedFactor, ReactNode>> = {
  totp: <Smartphone aria-hidden />,
  hwkey_otp: <KeyRound aria-hidden />,
  webauthn: <Fingerprint aria-hidden />,
}

function LoginForm({ offered }: { readonly offered: readonly OfferedFactor[] }) {
  const words = useWords()
  const { login } = useSession()
  const [chosen, setChosen] = useState(offered[0])
  const [otp, setOtp] = useState('')
  const { isUnderWay, error, run } = useAction()
  const codeField = useRef<HTMLInputElement>(null)
  if (chosen === undefined) return <p>{words.noLoginType}</p>

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (isUnderWay) return
    const form = new FormData(event.currentTarget)
    const textOf = (name: string): string => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const standing: LoginBody = {
      username: textOf('username').trim(),
      passphrase: textOf('passphrase'),
      apikey: textOf('apikey').trim(),
    }
    // As apps show it, in two groups of digits.
    const code = { otp: otp.replaceAll(/\s/g, ''), ...(chosen && { logintype: chosen }) }
    const task = async (signal: AbortSignal): Promise<void> =>
      login({ ...standing, ...(chosen === 'webauthn' ? await shownPasskey(signal) : code) })
    if (await run(task)) return
    // It was good once, and is not good again.
    setOtp('')
    codeField.current?.focus()
  }

  const names = { totp: words.totp, hwkey_otp: words.hardwareToken, webauthn: words.passkey }
  return (
    <Form className="form" onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Trouble error={error} />}
      <TextInput name="username" label={words.username} isRequired kind="name" autoComplete="username" autoFocus />
      <StandingFields />
      {offered.length > 1 && (
        <Choice
          label={words.secondFactor}
          options={offered.map((value) => ({
            value,
            icon: icons[value],
            text: names[value],
          }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {chosen === 'webauthn' ? (
        <p className="soft">{words.passkeyHelp}</p>
      ) : (
        <CodeField key={chosen} isApp={chosen === 'totp'} value={otp} onChange={setOtp} inputRef={codeField} />
      )}
      <Button type="submit" className="button primary">
        {isUnderWay ? words.loggingIn : words.login}
      </Button>
    </Form>
  )
}

/** To a challenge of its own: a login that is refused uses its one up. */
async function shownPasskey(signal: AbortSignal): Promise<Pick<LoginBody, 'passkey' | 'logintype'>> {
  const { CALLINFO } = await call('auth.challenge', { signal })
  return { passkey: await showPasskey(CALLINFO, signal), logintype: 'webauthn' }
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

/** What is the same at every login. */
function StandingFields() {
  const words = useWords()
  return (
    <>
      <TextInput
        name="passphrase"
        label={words.passphrase}
        type="password"
        isRequired
        autoComplete="current-password"
      />
      <TextInput
        name="apikey"
        label={words.applicationKey}
        description={words.applicationKeyHelp}
        type="password"
        isRequired
        autoComplete="off"
      />
    </>
  )
}
