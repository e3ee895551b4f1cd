import { Lock } from 'lucide-react'
import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import { ObjectIcon } from '../vaults/object-icon.tsx'
import { useWordsOf } from '../words/language.tsx'
import { formTemplateWords } from './form-template-words.ts'
import type { DraftField, TemplateDraft } from './template-draft.ts'

/** The form of the edited template, as people will fill it in. */
export function TemplatePreview({ draft: { info, fields } }: { readonly draft: TemplateDraft }) {
  const words = useWordsOf(formTemplateWords)
  return (
    <section className="template-preview card" aria-label={words.preview}>
      <p className="soft">{words.previewHelp}</p>
      <p className="title">
        <ObjectIcon name={info.ico} /> {info.name}
      </p>
      <div className="form">
        {fields.map((field) => (
          <PreviewField key={`${field.key} ${field.field.type}`} draft={field} />
        ))}
      </div>
    </section>
  )
}

function PreviewField({ draft: { key, name, field } }: { readonly draft: DraftField }) {
  const words = useWordsOf(formTemplateWords)
  const label = field.translation || name
  const options = (field.options ?? []).map((text) => ({ value: text, text }))
  const inputType = field.type === 'date' ? 'date' : field.type === 'datetime' ? 'datetime-local' : 'text'
  return (
    <div className="preview-field">
      {field.type === 'dropdown' ? (
        <SelectInput
          name={`preview-${key}`}
          label={label}
          options={options}
          defaultValue={field.options_default ?? ''}
        />
      ) : (
        <TextInput label={label} type={inputType} autoComplete="off" {...(field.type === 'textarea' && { rows: 3 })} />
      )}
      <p className="soft">
        {field.encrypted && (
          <>
            <Lock aria-hidden /> {words.secret}.{' '}
          </>
        )}
        {!field.opt && `${words.required}.`}
      </p>
    </div>
  )
}
