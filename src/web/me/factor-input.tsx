import { TextInput } from '../controls/text-input.tsx'
import { useWordsOf } from '../words/spoken.tsx'
import { meWords } from './me-words.ts'

/** As apps show it, in two groups of digits. */
export const typedCode = (text: string): string => text.replaceAll(/\s/g, '')

interface Props {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A second factor that the person shows once more. */
export function FactorInput({ value, onChange }: Props) {
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
