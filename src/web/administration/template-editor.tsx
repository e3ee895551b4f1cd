import { ArrowDown, ArrowUp, Download, Plus, Trash2 } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useHeldAddress } from '../controls/held-address.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { saveFile } from '../controls/file-download.ts'
import { TextInput } from '../controls/text-input.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { ListedTemplate } from '../interface/calls.ts'
import { useTypedState } from '../session/typed-state.ts'
import { lastBuiltIn } from '../words/built-in-names.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { CheckOption } from './check-option.tsx'
import { formTemplateWords } from './form-template-words.ts'
import { MachineCommands } from './machine-commands.tsx'
import {
  asSecret,
  documentOf,
  draftOf,
  moved,
  repeatedIn,
  withField,
  type DraftField,
  type TemplateDraft,
  type TemplateField,
} from './template-draft.ts'
import { TemplatePreview } from './template-preview.tsx'

const typingForm = new TypingForm<TemplateDraft>()

interface Props {
  readonly template: ListedTemplate
  /** The id for a copy of a built-in template. */
  readonly freeId: string
}

/**
 * Edits a template and saves it as a file. The operator adds the file with a command, because the interface cannot
 * store templates.
 */
export function TemplateEditor({ template, freeId }: Props) {
  const words = useWordsOf(formTemplateWords)
  const { parts } = useWordsOf(administrationWords)
  const { where } = useWords()
  const [original] = useState(() => draftOf(template, freeId))
  const [draft, setDraft] = useTypedState(typingForm, template.INFO.id, original)
  const written = documentOf(draft)
  /** The text of the last saved file, or of the original template. */
  const [saved, setSaved] = useState(() => documentOf(original))
  const question = useHeldAddress(written !== saved)
  const isOwn = Number(template.INFO.id) > lastBuiltIn
  const file = `template-${draft.info.id}.json`
  const save = (): void => {
    saveFile(file, written)
    setSaved(written)
  }
  return (
    <div className="page administered">
      <nav className="crumbs" aria-label={where}>
        <a href="#/administration/templates">{parts.templates}</a>
      </nav>
      <ViewHeading title={template.INFO.name} kind={parts.templates} introduction={isOwn ? undefined : words.builtIn} />
      <div className="template-editor">
        <DraftForm draft={draft} onChange={setDraft} onSave={save} />
        <TemplatePreview draft={draft} />
      </div>
      <MachineCommands
        title={words.taking}
        text={words.takingHelp}
        commands={[`strongroom template check ${file}`, `strongroom template add ${isOwn ? '--replace ' : ''}${file}`]}
      />
      {question}
    </div>
  )
}

interface FormProps {
  readonly draft: TemplateDraft
  readonly onChange: (draft: TemplateDraft) => void
  readonly onSave: () => void
}

function DraftForm({ draft, onChange, onSave }: FormProps) {
  const words = useWordsOf(formTemplateWords)
  const change = (key: number, next: Partial<DraftField>): void =>
    onChange({ ...draft, fields: draft.fields.map((field) => (field.key === key ? { ...field, ...next } : field)) })
  const drop = (key: number): void => onChange({ ...draft, fields: draft.fields.filter((field) => field.key !== key) })
  const repeated = repeatedIn(draft)
  const save = (event: FormEvent): void => {
    event.preventDefault()
    onSave()
  }
  return (
    <Form className="form" onSubmit={save}>
      <TextInput
        label={words.name}
        value={draft.info.name}
        onChange={(name) => onChange({ ...draft, info: { ...draft.info, name } })}
        maxLength={64}
      />
      <h2>{words.formFields}</h2>
      <ol className="draft-fields">
        {draft.fields.map((field, at) => (
          <DraftEntry
            key={field.key}
            draft={field}
            isRepeated={repeated.has(field.key)}
            isFirst={at === 0}
            isLast={at === draft.fields.length - 1}
            onChange={(next) => change(field.key, next)}
            onMove={(by) => onChange(moved(draft, at, by))}
            onRemove={() => drop(field.key)}
          />
        ))}
      </ol>
      <Button className="button" onPress={() => onChange(withField(draft))}>
        <Plus aria-hidden />
        {words.addField}
      </Button>
      <Button type="submit" className="button primary" isDisabled={repeated.size > 0}>
        <Download aria-hidden />
        {words.saveFile}
      </Button>
    </Form>
  )
}

const types: readonly TemplateField['type'][] = [
  'text',
  'text-passwdgen',
  'textarea',
  'date',
  'datetime',
  'countrycode',
  'progress',
]

interface EntryProps {
  readonly draft: DraftField
  /** An earlier field has the same name. */
  readonly isRepeated: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onChange: (next: Partial<DraftField>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onRemove: () => void
}

function DraftEntry(entry: EntryProps) {
  const { draft, isRepeated, isFirst, isLast, onChange, onMove, onRemove } = entry
  const { name, field } = draft
  const words = useWordsOf(formTemplateWords)
  const label = field.translation || name
  const typeChoices = types.includes(field.type) ? types : [field.type, ...types]
  function choose(type: string): void {
    const known = typeChoices.find((one) => one === type) ?? field.type
    const next = { ...field, type: known }
    onChange({ field: known === 'text-passwdgen' ? asSecret(next, true) : next })
  }
  return (
    <li className="card">
      <TextInput
        label={words.label}
        value={field.translation}
        onChange={(translation) => onChange({ field: { ...field, translation } })}
        maxLength={64}
      />
      <TextInput
        label={words.fieldName}
        value={name}
        onChange={(next) => onChange({ name: next })}
        error={isRepeated ? words.repeated : undefined}
        kind="code"
        maxLength={64}
      />
      <SelectInput
        key={field.type}
        name="type"
        label={words.type}
        options={typeChoices.map((type) => ({ value: type, text: type, lang: 'en' }))}
        defaultValue={field.type}
        onChange={choose}
      />
      <div className="draft-acts">
        <CheckOption isSelected={field.encrypted} onChange={(is) => onChange({ field: asSecret(field, is) })}>
          {words.encrypted}
        </CheckOption>
        <CheckOption isSelected={field.opt} onChange={(opt) => onChange({ field: { ...field, opt } })}>
          {words.optional}
        </CheckOption>
        <span className="draft-buttons">
          <Button className="quiet" aria-label={words.up(label)} isDisabled={isFirst} onPress={() => onMove(-1)}>
            <ArrowUp aria-hidden />
          </Button>
          <Button className="quiet" aria-label={words.down(label)} isDisabled={isLast} onPress={() => onMove(1)}>
            <ArrowDown aria-hidden />
          </Button>
          <Button className="quiet" aria-label={words.removeField(label)} onPress={onRemove}>
            <Trash2 aria-hidden />
          </Button>
        </span>
      </div>
    </li>
  )
}
