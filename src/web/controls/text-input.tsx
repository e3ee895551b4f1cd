import type { Ref } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField, type TextFieldProps } from 'react-aria-components/TextField'
import { useWords } from '../words/language.tsx'

interface Props extends Pick<
  TextFieldProps,
  | 'name'
  | 'value'
  | 'defaultValue'
  | 'onChange'
  | 'type'
  | 'isRequired'
  | 'autoComplete'
  | 'autoFocus'
  | 'maxLength'
  | 'validate'
> {
  readonly label: string
  /** Follows the label. */
  readonly labelNote?: string | undefined
  readonly description?: string | undefined
  /** What is wrong with the value, once that is known. */
  readonly error?: string | undefined
  /** Names and codes are neither spell-checked nor capitalized; a code is set in a fixed-width font. */
  readonly kind?: 'prose' | 'name' | 'code'
  readonly inputMode?: 'numeric' | 'text' | 'email'
  readonly inputRef?: Ref<HTMLInputElement>
  /** Number of lines, for longer text. */
  readonly rows?: number
}

/** The interface takes years of four digits, browsers of six. */
const lastOf: Readonly<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' }

/** What a browser may find wrong with the text of a field. */
const kindsOfWrong = ['typeMismatch', 'badInput', 'rangeOverflow', 'valueMissing'] as const

/** A text field with its label, description and error. */
export function TextInput(props: Props) {
  const { label, labelNote, description, error, kind = 'prose', inputMode, inputRef, rows, ...rest } = props
  // Browsers would cut a pasted text to `maxLength`, and say nothing.
  const { maxLength = Infinity, validate, ...field } = rest
  const words = useWords()
  const literal = kind !== 'prose' && ({ autoCapitalize: 'none', spellCheck: 'false' } as const)
  const last = lastOf[field.type ?? '']
  const look = kind === 'code' && { className: 'code' }
  return (
    <TextField
      {...field}
      validate={(text) => (text.length > maxLength ? words.tooLong(text.length, maxLength) : validate?.(text))}
      {...(error !== undefined && ({ isInvalid: true, validationBehavior: 'aria' } as const))}
    >
      <Label>
        <span>{label}</span>
        {labelNote !== undefined && <span className="soft"> {labelNote}</span>}
      </Label>
      {rows === undefined ? (
        <Input {...literal} {...look} {...(last && { max: last })} inputMode={inputMode} ref={inputRef} />
      ) : (
        <TextArea {...literal} {...look} rows={rows} />
      )}
      {description !== undefined && <Text slot="description">{description}</Text>}
      {/* The error disappears as soon as the value is valid. If it waited for a click on a button, that button would
          move under the click. */}
      <FieldError className={error === undefined ? 'react-aria-FieldError missing' : 'react-aria-FieldError'}>
        {({ validationErrors, validationDetails }) =>
          error ??
          (validationDetails.customError
            ? validationErrors.join(' ')
            : words.wrong[kindsOfWrong.find((kind) => validationDetails[kind]) ?? 'valueMissing'])
        }
      </FieldError>
    </TextField>
  )
}
