import { Button } from 'react-aria-components/Button'
import type { StoredTemplate } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { isSecret } from './draft.ts'
import { editingWords } from './editing-words.ts'
import { fileMember, theirsOf, type MergedEdit } from './merged-edit.ts'

interface Props {
  readonly edit: MergedEdit
  readonly template: StoredTemplate
  readonly member: string
}

/** Below a field that two people have changed: the value that the other one has saved. */
export function MeanwhileNote({ edit, template, member }: Props) {
  const words = useWordsOf(editingWords)
  const field = template.structure.find(({ fieldname }) => fieldname === member)
  const isTyped = edit.draft[member] !== undefined
  // Only a read of the secret would show whether it was changed.
  if (field && isSecret(field))
    return edit.contested && isTyped ? <p className="meanwhile">{words.secretMeanwhile}</p> : null
  const theirs = theirsOf(edit, member)
  if (theirs === undefined) return null
  return (
    <div className="meanwhile">
      <p>
        {words.theirs}: <q>{theirs}</q>
      </p>
      {member !== fileMember && (
        <Button
          className="button small"
          aria-label={words.takeTheirsOf(field?.translation ?? words.nameInLists)}
          onPress={() => edit.take(member, theirs)}
        >
          {words.takeTheirs}
        </Button>
      )}
    </div>
  )
}
