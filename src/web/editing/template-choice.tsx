import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useHeldAddress } from '../controls/held-address.tsx'
import { useIsSlow } from '../controls/slow-work.ts'
import { Question } from '../controls/question.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { StoredTemplate } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { carriedOver } from './draft.ts'
import { editingWords } from './editing-words.ts'
import { FileDropInput } from './file-drop-input.tsx'
import { hasTyped, type FilesInTurn } from './files-in-turn.ts'
import { TemplateList } from './template-list.tsx'

interface Props {
  readonly templates: readonly StoredTemplate[]
  readonly turn: FilesInTurn
}

/** The choice of a template. Where values were typed for another one, it asks before any of them is lost. */
export function TemplateChoice({ templates, turn }: Props) {
  const words = useWordsOf(editingWords)
  const { kept, isLooking, error, lookAgain } = turn
  const isSlow = useIsSlow(isLooking)
  const isBegun = kept !== undefined && hasTyped(kept)
  const held = useHeldAddress(turn.left !== undefined)
  const [asked, setAsked] = useState<StoredTemplate>()
  if (isLooking)
    return (
      <>
        {isSlow && <p role="status">{words.looking}</p>}
        {held}
      </>
    )
  const hasFile = kept?.file !== undefined
  const lostBy = (template: StoredTemplate): readonly string[] =>
    kept ? carriedOver(kept.draft, kept.template, template).lost : []
  return (
    <>
      {error !== undefined && <ErrorMessage error={error} onTryAgain={lookAgain} />}
      {!isBegun && (
        <div className="form">
          <FileDropInput
            label={words.file}
            accepted="*"
            file={undefined}
            invitation={words.dropAnyFile}
            hasMany
            onFiles={turn.begin}
          />
        </div>
      )}
      <TemplateList
        templates={hasFile ? templates.filter(({ info }) => info.file !== undefined) : templates}
        onChoose={(template) => (lostBy(template).length > 0 ? setAsked(template) : turn.choose(template))}
      />
      {asked && kept && (
        <LossQuestion
          name={asked.info.name}
          lost={lostBy(asked)}
          onUse={() => turn.choose(asked)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {held}
    </>
  )
}

interface LossProps {
  /** Name of the template. */
  readonly name: string
  /** Labels of the fields whose values would be lost. */
  readonly lost: readonly string[]
  readonly onUse: () => void
  readonly onClose: () => void
}

function LossQuestion({ name, lost, onUse, onClose }: LossProps) {
  const words = useWords()
  const own = useWordsOf(editingWords)
  const actions = (
    <>
      <Button className="button" autoFocus onPress={onClose}>
        {words.cancel}
      </Button>
      <Button className="button danger" onPress={onUse}>
        {own.useTemplate(name)}
      </Button>
    </>
  )
  return (
    <Question title={own.noPlaceTitle(name)} actions={actions} onClose={onClose}>
      <p>{own.noPlaceText}</p>
      <ul className="doomed">
        {lost.map((label) => (
          <li key={label}>{label}</li>
        ))}
      </ul>
    </Question>
  )
}
