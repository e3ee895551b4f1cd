import { useQuery } from '@tanstack/react-query'
import { KeyRound, Smartphone } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { FieldError } from 'react-aria-components/FieldError'
import { Form } from 'react-aria-components/Form'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { Text } from 'react-aria-components/Text'
import { TextField } from 'react-aria-components/TextField'
import { call, type LoginBody } from '../calls.ts'
import { useIsUnheard } from '../leaving.ts'
import { useSession } from '../session.tsx'
import { Said } from '../said.tsx'
import { Slow } from '../slow.tsx'
import { Trouble } from '../trouble.tsx'
import { ViewTitle } from '../view-title.tsx'
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
  const [error, setError] = useState<unknown>()
  const [isUnderWay, setIsUnderWay] = useState(false)
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
    setIsUnderWay(true)
    setError(undefined)
    try {
      await login(body)
    } catch (refusal) {
      setError(refusal)
      setIsUnderWay(false)
      // It was good once, and is not good again.
      setOtp('')
      code.current?.focus()
    }
  }

  const isApp = chosen === 'totp'
  return (
    <Form className="form" onSubmit={(event) => void submit(event)}>
      {error !== undefined && <Trouble error={error} />}
      <TextField name="username" isRequired autoComplete="username" autoFocus>
        <Label>{words.username}</Label>
        <Input autoCapitalize="none" spellCheck="false" />
        <FieldError>{words.required}</FieldError>
      </TextField>
      <StandingFields />
      {offered.length > 1 && <FactorChoice offered={offered} chosen={chosen} onChoose={setChosen} />}
      <TextField key={chosen} name="otp" value={otp} onChange={setOtp} isRequired autoComplete="one-time-code">
        <Label>{isApp ? words.code : words.tokenPassword}</Label>
        <Input
          ref={code}
          inputMode={isApp ? 'numeric' : 'text'}
          autoCapitalize="none"
          spellCheck="false"
          className="code"
        />
        <Text slot="description">{isApp ? words.codeHelp : words.tokenPasswordHelp}</Text>
        <FieldError>{words.required}</FieldError>
      </TextField>
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
      <TextField name="passphrase" type="password" isRequired autoComplete="current-password">
        <Label>{words.passphrase}</Label>
        <Input />
        <FieldError>{words.required}</FieldError>
      </TextField>
      <TextField name="apikey" type="password" isRequired autoComplete="off">
        <Label>{words.applicationKey}</Label>
        <Input />
        <Text slot="description">{words.applicationKeyHelp}</Text>
        <FieldError>{words.required}</FieldError>
      </TextField>
    </>
  )
}

interface FactorChoiceProps {
  readonly offered: readonly LoginType[]
  readonly chosen: LoginType
  readonly onChoose: (type: LoginType | undefined) => void
}

function FactorChoice({ offered, chosen, onChoose }: FactorChoiceProps) {
  const words = useWords()
  return (
    <RadioGroup
      className="choice"
      value={chosen}
      onChange={(value) => onChoose(known.find((type) => type === value))}
      orientation="horizontal"
    >
      <Label>{words.secondFactor}</Label>
      <div className="choices">
        {offered.map((type) => (
          <Radio key={type} value={type}>
            {icons[type]}
            {type === 'totp' ? words.totp : words.hardwareToken}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  )
}
