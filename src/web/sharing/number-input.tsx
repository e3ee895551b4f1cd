import { TextInput } from '../controls/text-input.tsx'
import { isId } from '../interface/row-id.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { sharingWords } from './sharing-words.ts'

interface Props {
  readonly label: string
  readonly description: string
  /** Whether it is said that it is none. */
  readonly isChecked: boolean
  readonly value: string
  readonly onChange: (value: string) => void
}

/** The number of a user or a service account. */
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
