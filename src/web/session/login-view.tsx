import { useQuery } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { Choice } from '../controls/choice.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call, type LoginBody } from '../interface/calls.ts'
import { useIsUnheard } from './leaving.ts'
import { useSession } from './session.tsx'
import { Said } from '../controls/said.tsx'
import { Slow } from '../controls/slow.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { ViewTitle } from '../controls/view-title.tsx'
import { useWords } from '../words/spoken.tsx'

const known = ['totp', 'hwkey_otp'] as const
type LoginType = (typeof known)[number]

export function LoginView({ onShown }: { readonly onShown: () => void }) {
  const words = useWords()
  const { farewell } = useSession()
  const isUnheard = useIsUnheard()
  const told = [farewell && words[farewell], isUnheard && words.logoutUnheard].filter(Boolean).join(' ')
  const types = useQuery({
    queryKey: ['logintypes'],
    queryFn: ({ signal }) => call('authinfo.logintypes', { signal }),
    staleTime: Infinity,
  })
  useEffect(onShown, [onShown])
  return (
    <div className="login">
      <div className="card">
        <ViewTitle text={words.login} />
        {told === '' ? <p className="soft">{words.loginIntroduction}</p> : <Said className="farewell" text={told} />}
        {types.data ? (
          <LoginForm offered={known.filter((type) => types.data.CALLINFO.enabled_login_types.flat().includes(type))} />
        ) : types.error ? (
          <Trouble error={types.error} onTryAgain={() => void types.refetch()} />
        ) : (
          <Slow />
        )}
      </div>
    </div>
  )
}

const icons: Readonly<Record<LoginType, ReactNode>> = {
  totp: <Smartphone aria-hidden />,
  hwkey_otp: <KeyRound aria-hidden />,
}

function LoginForm({ offered }: { readonly offered: readonly LoginType[] }) {
  const words = useWords()
  const { login } = useSession()
  const [chosen, setChosen] = useState(offered[0])
  const [otp, setOtp] = useState('')
  const { isUnderWay, error, run } = useAction()
  const code = useRef<HTMLInputElement>(null)
  if (chosen === undefined) return <p>{words.noLoginType}</p>

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    if (isUnderWay) return
    const form = new FormData(event.currentTarget)
    const textOf = (name: string): string => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const body: LoginBody = {
      username: textOf('username').trim(),
      passphrase: textOf('passphrase'),
      apikey: textOf('apikey').trim(),
      // As apps show it, in two groups of digits.
      otp: otp.replaceAll(/\s/g, ''),
      ...(chosen && { logintype: chosen }),
    }
    if (await run(() => login(body))) return
    // It was good once, and is not good again.
    setOtp('')
    code.current?.focus()
  }

  const isApp = chosen === 'totp'
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
            text: value === 'totp' ? words.totp : words.hardwareToken,
          }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
      <TextInput
        key={chosen}
        name="otp"
        label={isApp ? words.code : words.tokenPassword}
        description={isApp ? words.codeHelp : words.tokenPasswordHelp}
        value={otp}
        onChange={setOtp}
        isRequired
        kind="code"
        autoComplete="one-time-code"
        inputMode={isApp ? 'numeric' : 'text'}
        inputRef={code}
      />
      <Button type="submit" className="button primary">
        {isUnderWay ? words.loggingIn : words.login}
      </Button>
    </Form>
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
