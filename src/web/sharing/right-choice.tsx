import { Text } from 'react-aria-components/Text'
import { Choice } from '../controls/choice.tsx'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { sharingWords } from './sharing-words.ts'

/** The rights of members, as bits. */
const rightNames = { '1': 'Read', '2': 'Write', '4': 'Admin' } as const
export type Right = keyof typeof rightNames
/** A right in all of the vault, or in what entries name. */
export type GivenRight = Right | 'some'
const rights: readonly Right[] = ['1', '2', '4']

interface Props {
  readonly value: GivenRight
  readonly onChange: (right: GivenRight) => void
}

/** What a member may do, and what that means. */
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
