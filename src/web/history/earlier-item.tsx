import { ChevronRight, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { MomentText } from '../controls/moment-text.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { EarlierVersion, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useAlarmQuestion, type MayRead } from '../objects/alarm-question.tsx'
import { SecretValue } from '../objects/secret-value.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { readEarlier, useOpenFields } from './earlier-reads.ts'
import { historyWords } from './history-words.ts'
import { RestoreQuestion } from './restore-question.tsx'

interface Props {
  readonly earlier: EarlierVersion
  /** The object in its present state. */
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
  readonly mayWrite: boolean
}

/** One earlier version: who replaced it and when, and on request its fields. */
export function EarlierItem({ earlier, object, template, mayWrite }: Props) {
  const words = useWordsOf(historyWords)
  const [isOpen, setIsOpen] = useState(false)
  /** The object as the person saw it at the press: what changed since then is not replaced unseen. */
  const [asked, setAsked] = useState<typeof object>()
  const { mayRead, question } = useAlarmQuestion(object.id)
  const again = useAction()
  const { version, replaced, replacedby } = earlier
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <ChevronRight aria-hidden />
          <span className="title">{words.version(version)}</span>
          <span className="soft">
            {words.replacedBy(replacedby)}, <MomentText at={`${replaced.replace(' ', 'T')}Z`} />
          </span>
        </summary>
        {isOpen && (
          <EarlierFields
            earlier={earlier}
            object={object}
            template={template}
            mayRead={(run) => mayRead('secrets', run)}
          />
        )}
        {isOpen && mayWrite && template && (
          <div className="again">
            <Button
              className="button small"
              aria-label={words.useAgainOf(version)}
              onPress={() => void mayRead('secrets', again.run).then((goesOn) => setAsked(goesOn ? object : undefined))}
            >
              <RotateCcw aria-hidden />
              {words.useAgain}
            </Button>
            {again.error !== undefined && <ErrorMessage error={again.error} />}
          </div>
        )}
      </details>
      {asked && template && (
        <RestoreQuestion earlier={earlier} object={asked} template={template} onClose={() => setAsked(undefined)} />
      )}
      {question}
    </li>
  )
}

interface FieldsProps extends Omit<Props, 'mayWrite'> {
  readonly mayRead: MayRead
}

function EarlierFields({ earlier, object, template, mayRead }: FieldsProps) {
  const words = useWordsOf(historyWords)
  const { empty } = useWords()
  const { version, objectname } = earlier
  const { open, error, refetch } = useOpenFields(object.id, earlier)
  const fields = template?.structure ?? []
  if (!open) return error ? <ErrorMessage error={error} onTryAgain={refetch} /> : <Loading />
  // Values without a field in the template, which has changed since.
  const others = Object.entries(open).filter(([name]) => fields.every(({ fieldname }) => fieldname !== name))
  return (
    <dl className="fields">
      <OpenField label={words.name} value={objectname} />
      {fields.map((field) => {
        const { fieldname, translation, encrypted, type } = field
        if (!encrypted || type === 'file')
          return <OpenField key={fieldname} label={translation} value={open[fieldname] ?? ''} empty={empty} />
        return (
          <div key={fieldname}>
            <dt>{translation}</dt>
            <dd>
              <SecretValue
                field={field}
                fetchSecret={async (signal) =>
                  (await readEarlier({ objectid: object.id, version, decrypt: true }, signal))[fieldname] ?? ''
                }
                mayRead={mayRead}
              />
            </dd>
          </div>
        )
      })}
      {others.map(([name, value]) => (
        <OpenField key={name} label={name} value={value} empty={empty} />
      ))}
    </dl>
  )
}

interface OpenFieldProps {
  readonly label: string
  readonly value: string
  readonly empty?: string
}

function OpenField({ label, value, empty }: OpenFieldProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {value === '' ? <span className="value soft">{empty}</span> : <span className="value text">{value}</span>}
      </dd>
    </div>
  )
}
