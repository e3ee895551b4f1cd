import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { TextInput } from '../controls/text-input.tsx'
import type { Field, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { isNamedByField, isSecret, nameMember, type Draft } from './draft.ts'
import { editingWords } from './editing-words.ts'
import { FieldInput } from './field-input.tsx'
import { FileDropInput } from './file-drop-input.tsx'
import type { VaultPolicy } from './secret-input.tsx'

interface Props {
  readonly template: StoredTemplate
  readonly policy: VaultPolicy
  readonly draft: Draft
  /** Undefined removes the member, so that the stored value stays. */
  readonly set: (member: string, value: string | undefined) => void
  readonly file: File | undefined
  readonly fileError: string | undefined
  readonly setFile: (file: File) => void
  /** The object that is edited; absent for a new one. */
  readonly stored?: StoredObject
  /** A note below a field. */
  readonly noteOf?: (member: string) => ReactNode
}

/** The fields of an object, in the order of its template. */
export function ObjectFields(props: Props) {
  const { template, draft, set, file, fileError, setFile, stored, noteOf } = props
  const words = useWordsOf(editingWords)
  return (
    <>
      {template.structure.map((field) => (
        <div key={field.fieldname} className="field">
          {field.type === 'file' ? (
            <FileDropInput
              label={field.translation}
              accepted={template.info.file ?? '*'}
              file={file}
              storedName={stored?.filename}
              invitation={words.dropFile}
              error={fileError}
              onFiles={([first]) => first && setFile(first)}
            />
          ) : (
            <ObjectField {...props} field={field} />
          )}
          {noteOf?.(field.fieldname)}
        </div>
      ))}
      {!isNamedByField(template, stored) && (
        <div className="field">
          <TextInput
            label={words.nameInLists}
            labelNote={`(${words.optional})`}
            kind="name"
            autoComplete="off"
            maxLength={255}
            value={draft[nameMember] ?? ''}
            onChange={(value) => set(nameMember, value)}
            description={stored ? undefined : words.nameHelp}
          />
          {noteOf?.(nameMember)}
        </div>
      )}
    </>
  )
}

/** One field. A stored secret is not read for editing: it stays, or the person types another one. */
function ObjectField({ field, policy, draft, set, stored }: Props & { readonly field: Field }) {
  const words = useWordsOf(editingWords)
  const { fieldname, translation } = field
  const value = draft[fieldname]
  if (stored && isSecret(field) && value === undefined)
    return (
      <div className="stays" role="group" aria-label={translation}>
        <span className="label">{translation}</span>
        <div className="line">
          <Lock aria-hidden />
          <span className="texts soft">{words.stays}</span>
          <Button
            className="button small"
            aria-label={words.changeField(translation)}
            onPress={() => set(fieldname, '')}
          >
            {words.change}
          </Button>
        </div>
      </div>
    )
  return (
    <>
      <FieldInput
        field={field}
        value={value ?? ''}
        onChange={(next) => set(fieldname, next)}
        policy={policy}
        autoFocus={stored !== undefined && isSecret(field)}
      />
      {stored && isSecret(field) && (
        <Button
          className="button small keep"
          aria-label={words.keepField(translation)}
          onPress={() => set(fieldname, undefined)}
        >
          {words.keepStored}
        </Button>
      )}
    </>
  )
}
