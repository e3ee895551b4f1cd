import { useHiddenText } from '../controls/hidden-text.tsx'
import { TextInput } from '../controls/text-input.tsx'

interface Props {
  readonly label: string
  readonly description: string
  readonly value: string
  readonly onChange: (passphrase: string) => void
}

/** A pass phrase that an administrator gives to a user, and therefore may look at. */
export function GivenPassphrase(props: Props) {
  const hidden = useHiddenText(props.label)
  return (
    <div className="secret-input">
      <TextInput {...props} type={hidden.type} kind="code" isRequired autoComplete="new-password" />
      <div className="beside">{hidden.button}</div>
    </div>
  )
}
