import { TextInput } from '../controls/text-input.tsx'
import { isId } from '../interface/identifiers.ts'
import { useWordsOf } from '../words/language.tsx'
import { sharingWords } from './sharing-words.ts'

interface Props {
  readonly label: string
  readonly description: string
  /** Whether an invalid number is reported. */
  readonly isChecked: boolean
  readonly value: string
  readonly onChange: (value: string) => void
  readonly autoFocus?: boolean
}

/** A field for the id of a user or service account. */
export function NumberInput({ isChecked, ...field }: Props) {
  const { badNumber } = useWordsOf(sharingWords)
  return (
    <TextInput
      {...field}
      error={isChecked && !isId(field.value.trim()) ? badNumber : undefined}
      kind="name"
      inputMode="numeric"
      autoComplete="off"
      isRequired
    />
  )
}
