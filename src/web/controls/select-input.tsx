import { useId } from 'react'

interface Option {
  readonly value: string
  readonly text: string
  /** Set where the text is not in the person's language. */
  readonly lang?: 'en' | undefined
  readonly isDisabled?: boolean
}

interface Props {
  readonly label: string
  /** Name in the form, for a form that reads the value when it is submitted. */
  readonly name?: string
  readonly options: readonly Option[]
  readonly defaultValue?: string
  /** The value, where the view keeps it. */
  readonly value?: string
  readonly description?: string | undefined
  readonly isRequired?: boolean
  readonly autoFocus?: boolean
  /** Follows the label. */
  readonly labelNote?: string | undefined
  readonly onChange?: (value: string) => void
}

/** A select element of the browser, with label and description. */
export function SelectInput({ label, labelNote, options, description, onChange, ...select }: Props) {
  const { isRequired, ...rest } = select
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>
        <span>{label}</span>
        {labelNote !== undefined && <span className="soft"> {labelNote}</span>}
      </label>
      <select
        id={id}
        {...rest}
        required={isRequired}
        aria-describedby={description === undefined ? undefined : `${id}-help`}
        onChange={onChange && (({ target }) => onChange(target.value))}
      >
        {options.map(({ value, text, lang, isDisabled }) => (
          <option key={value} value={value} lang={lang} disabled={isDisabled}>
            {text}
          </option>
        ))}
      </select>
      {description !== undefined && (
        <span id={`${id}-help`} slot="description">
          {description}
        </span>
      )}
    </div>
  )
}
