import { Choice } from '../controls/choice.tsx'
import { call, type PassphraseBody } from '../interface/calls.ts'
import { showPasskey } from '../passkeys/webauthn.ts'
import { useOfferedFactors } from '../session/offered-factors.ts'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { FactorInput, typedCode } from './factor-input.tsx'
import { meWords } from './me-words.ts'

export type FactorKind = 'code' | 'webauthn' | 'smartcard'

interface Props {
  readonly chosen: FactorKind
  readonly onChoose: (kind: FactorKind) => void
  readonly otp: string
  readonly onType: (otp: string) => void
}

/** A second factor that the person shows once more: who has passkeys or a smartcard may have no device that shows codes. */
export function FactorChoice({ chosen, onChoose, otp, onType }: Props) {
  const words = useWordsOf(meWords)
  const { secondFactor, factors } = useWords()
  const others = useOfferedFactors().data?.filter((type) => type === 'webauthn' || type === 'smartcard') ?? []
  const code = <FactorInput value={otp} onChange={onType} />
  if (others.length === 0) return code
  const options = [
    { value: 'code', text: words.factorCode } as const,
    ...others.map((value) => ({ value, text: factors[value] })),
  ]
  return (
    <>
      <Choice label={secondFactor} options={options} value={chosen} onChange={onChoose} />
      {chosen === 'code' ? code : <p className="soft">{words.factorHelps[chosen]}</p>}
    </>
  )
}

/** What a call takes of it. A passkey answers a challenge of its own: a call that is refused uses its one up. */
export async function shownFactor(
  kind: FactorKind,
  otp: string,
  signal: AbortSignal,
): Promise<Pick<PassphraseBody, 'otp' | 'passkey' | 'logintype'>> {
  if (kind === 'code') return { otp: typedCode(otp) }
  if (kind === 'smartcard') return { logintype: kind }
  const { CALLINFO } = await call('me.challenge', { signal })
  return { logintype: kind, passkey: await showPasskey(CALLINFO, signal) }
}
