import { Text } from 'react-aria-components/Text'
import { Choice } from '../controls/choice.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { sharingWords } from './sharing-words.ts'

/** The permissions of members, by their bits in the interface. */
const rightNames = { '1': 'Read', '2': 'Write', '4': 'Admin' } as const
export type Right = keyof typeof rightNames
/** A permission in the whole vault, or grants. */
export type GivenRight = Right | 'some'
const rights: readonly Right[] = ['1', '2', '4']

interface Props {
  readonly value: GivenRight
  readonly onChange: (right: GivenRight) => void
}

/** The choice of a permission, with an explanation. */
export function RightChoice({ value, onChange }: Props) {
  const words = useWordsOf(sharingWords)
  const nameOf = useRightName()
  return (
    <div className="right-choice">
      <Choice
        label={words.right}
        options={[
          ...rights.map((right) => ({ value: right, text: nameOf(right) })),
          { value: 'some', text: words.someOfIt },
        ]}
        value={value}
        onChange={onChange}
      />
      <Text className="soft" role="status">
        {words.rightHelps[value]}
      </Text>
    </div>
  )
}

export function useRightName(): (right: Right) => string {
  const words = useWords()
  return (right) => words.rights[rightNames[right]] ?? rightNames[right]
}
