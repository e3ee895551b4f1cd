import { SelectInput } from '../controls/select-input.tsx'
import { TextInput } from '../controls/text-input.tsx'
import type { Field } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import { isSecret } from './draft.ts'
import { SecretInput, type VaultPolicy } from './secret-input.tsx'

interface Props {
  readonly field: Field
  readonly value: string
  readonly onChange: (value: string) => void
  readonly policy: VaultPolicy
  readonly autoFocus?: boolean
}

/**
 * Values that the browser's date controls can hold. A field with another stored value is a text field. A year of more
 * than four digits can be typed and is then refused.
 */
const forms: Readonly<Record<string, RegExp>> = {
  date: /^(\d{4,6}-\d\d-\d\d)?$/,
  datetime: /^(\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d)?)?$/,
}
const nativeTypes: Readonly<Record<string, string>> = { date: 'date', datetime: 'datetime-local' }

/** The control for a field, by the type in its template. Unknown types get a text field. */
export function FieldInput({ field, value, onChange, policy, autoFocus = false }: Props) {
  const words = useWordsOf(editingWords)
  const { translation: label, type, opt, options = [], placeholder } = field
  const labelNote = opt ? `(${words.optional})` : undefined
  if (isSecret(field) && type !== 'textarea')
    return <SecretInput {...{ field, labelNote, value, onChange, policy, autoFocus }} />

  const shared = { label, labelNote, value, onChange, autoFocus, isRequired: !opt, autoComplete: 'off' }
  const example = placeholder === undefined ? undefined : words.example(placeholder)
  switch (type) {
    case 'textarea':
      return isSecret(field) ? (
        // Without spell checking: some browsers send the text to their maker for it.
        <TextInput {...shared} kind="name" rows={6} description={example} />
      ) : (
        <TextInput {...shared} rows={4} description={example} />
      )
    case 'dropdown':
      return <SelectInput {...shared} options={optionsOf(options, value, opt, words.none)} />
    case 'progress': {
      const isGood = /^(100|[1-9]?\d)?$/.test(value)
      const error = isGood ? undefined : words.badPercent
      return <TextInput {...shared} inputMode="numeric" description={words.percentHelp} error={error} />
    }
    case 'countrycode':
      return <TextInput {...shared} kind="code" description={countryOf(value) ?? words.countryHelp} />
    default: {
      const native = forms[type]?.test(value) === true ? nativeTypes[type] : undefined
      return <TextInput {...shared} kind="name" description={example} {...(native && { type: native })} />
    }
  }
}

/** A stored value stays an option even if the template no longer offers it. */
function optionsOf(options: readonly string[], value: string, opt: boolean, none: string) {
  const hasNone = opt || value === ''
  const known = [...(hasNone ? [''] : []), ...options]
  return [...known, ...(known.includes(value) ? [] : [value])].map((text) => ({ value: text, text: text || none }))
}

function countryOf(code: string): string | undefined {
  if (!/^[A-Za-z]{2}$/.test(code)) return undefined
  const name = new Intl.DisplayNames([document.documentElement.lang || 'en'], { type: 'region' }).of(code.toUpperCase())
  return name === code.toUpperCase() ? undefined : name
}
