import { useState, type ReactNode } from 'react'
import { Choice } from '../controls/choice.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { call } from '../interface/calls.ts'
import { showPasskey } from '../passkeys/webauthn.ts'
import { useOfferedFactors } from '../session/offered-factors.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { meWords } from './me-words.ts'

type Codeless = 'webauthn' | 'smartcard'

interface FreshFactor<Shown> {
  readonly input: ReactNode
  /** Resolves to the members of the call. Clears the typed code, which is valid once. */
  readonly show: (signal: AbortSignal) => Promise<Shown>
}

/**
 * A form for a fresh factor: a code, or one of `others` where the appliance offers it. People with a passkey or
 * smartcard may have no device that shows codes.
 */
export function useFreshFactor<Other extends Codeless>(...others: readonly Other[]) {
  const [kind, setKind] = useState<'code' | Other>('code')
  const [otp, setOtp] = useState('')
  const code = <CodeOfDevice value={otp} onChange={setOtp} />
  const factor: FreshFactor<Shown['code' | Other]> = {
    input: <FactorChoice others={others} chosen={kind} onChoose={setKind} code={code} />,
    show(signal) {
      setOtp('')
      return shownBy<'code' | Other>(kind, otp, signal)
    },
  }
  return factor
}

interface ChoiceProps<Other extends Codeless> {
  readonly others: readonly Other[]
  readonly chosen: 'code' | Other
  readonly onChoose: (kind: 'code' | Other) => void
  readonly code: ReactNode
}

function FactorChoice<Other extends Codeless>({ others, chosen, onChoose, code }: ChoiceProps<Other>) {
  const words = useWordsOf(meWords)
  const { secondFactor, factors } = useWords()
  const { data } = useOfferedFactors()
  const offered = others.filter((type) => data?.includes(type))
  if (offered.length === 0) return code
  const options = [
    { value: 'code', text: words.factorCode } as const,
    ...offered.map((value) => ({ value, text: factors[value] })),
  ]
  return (
    <>
      <Choice label={secondFactor} options={options} value={chosen} onChange={onChoose} />
      {chosen === 'code' ? code : <p className="soft">{words.factorHelps[chosen]}</p>}
    </>
  )
}

function CodeOfDevice({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const words = useWordsOf(meWords)
  return (
    <TextInput
      name="otp"
      label={words.factor}
      description={words.factorHelp}
      value={value}
      onChange={onChange}
      kind="code"
      autoComplete="one-time-code"
      isRequired
    />
  )
}

/** Removes blanks: apps show a code in two groups of digits. */
export const typedCode = (text: string): string => text.replaceAll(/\s/g, '')

interface Shown {
  readonly code: { readonly otp: string }
  readonly webauthn: { readonly logintype: 'webauthn'; readonly passkey: Awaited<ReturnType<typeof showPasskey>> }
  readonly smartcard: { readonly logintype: 'smartcard' }
}

const ways: { readonly [Kind in keyof Shown]: (otp: string, signal: AbortSignal) => Promise<Shown[Kind]> } = {
  code: (otp) => Promise.resolve({ otp: typedCode(otp) }),
  smartcard: () => Promise.resolve({ logintype: 'smartcard' }),
  /** Each call gets a new challenge, because a refused call uses up its challenge. */
  async webauthn(_otp, signal) {
    const { CALLINFO } = await call('me.challenge', { signal })
    return { logintype: 'webauthn', passkey: await showPasskey(CALLINFO, signal) }
  },
}

const shownBy = <Kind extends keyof Shown>(kind: Kind, otp: string, signal: AbortSignal): Promise<Shown[Kind]> =>
  ways[kind](otp, signal)
