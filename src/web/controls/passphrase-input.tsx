import { useHiddenText } from './hidden-text.tsx'
import { TextInput } from './text-input.tsx'

interface Props {
  readonly name?: string
  readonly label: string
  readonly description?: string
  /** Absent where the form reads the field. */
  readonly value?: string
  readonly onChange?: (passphrase: string) => void
  readonly autoComplete?: 'current-password' | 'new-password' | 'off'
  readonly isRequired?: boolean
  readonly error?: string | undefined
}

/** A pass phrase that the person may look at while they type it. */
export function PassphraseInput({ autoComplete = 'new-password', isRequired = true, ...props }: Props) {
  const hidden = useHiddenText(props.label)
  return (
    <div className="secret-input">
      <TextInput {...props} type={hidden.type} kind="code" isRequired={isRequired} autoComplete={autoComplete} />
      <div className="beside">{hidden.button}</div>
    </div>
  )
}
