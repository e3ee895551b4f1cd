import type { Ref } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Input } from 'react-aria-components/Input'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { TextArea } from 'react-aria-components/TextArea'
import { TextField, type TextFieldProps } from 'react-aria-components/TextField'
import { useWords } from '../words/spoken.tsx'

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
  /** Stands behind the label. */
  readonly labelNote?: string | undefined
  readonly description?: string | undefined
  /** What is wrong with the value, once it is known. */
  readonly error?: string | undefined
  /** What is not prose is not corrected; a code is read letter by letter. */
  readonly kind?: 'prose' | 'name' | 'code'
  readonly inputMode?: 'numeric' | 'text' | 'email'
  readonly inputRef?: Ref<HTMLInputElement>
  /** Lines of a longer text. */
  readonly rows?: number
}

/** The interface has years of four digits; browsers take six. */
const lastOf: Readonly<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' }

/** A field for a text, with its label and what helps to fill it in. */
export function TextInput(props: Props) {
  const { label, labelNote, description, error, kind = 'prose', inputMode, inputRef, rows, ...field } = props
  const words = useWords()
  const literal = kind !== 'prose' && ({ autoCapitalize: 'none', spellCheck: 'false' } as const)
  const last = lastOf[field.type ?? '']
  const look = kind === 'code' && { className: 'code' }
  return (
    <TextField {...field} {...(error !== undefined && ({ isInvalid: true, validationBehavior: 'aria' } as const))}>
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
      {/* Gone as the value is good: not with the click on a button, which would move away under it. */}
      <FieldError className={error === undefined ? 'react-aria-FieldError missing' : 'react-aria-FieldError'}>
        {({ validationErrors, validationDetails }) =>
          error ??
          (validationDetails.customError
            ? validationErrors.join(' ')
            : validationDetails.rangeOverflow
              ? words.yearTooLong
              : words.required)
        }
      </FieldError>
    </TextField>
  )
}
