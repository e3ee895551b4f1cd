import { useId } from 'react'

interface Option {
  readonly value: string
  readonly text: string
  /** Where the text is not of the person's language. */
  readonly lang?: 'en' | undefined
  readonly isDisabled?: boolean
}

interface Props {
  readonly label: string
  /** In the form, which reads what is chosen where nothing is called. */
  readonly name?: string
  readonly options: readonly Option[]
  readonly defaultValue?: string
  /** Where the view keeps what is chosen. */
  readonly value?: string
  readonly description?: string | undefined
  readonly isRequired?: boolean
  /** Behind the label. */
  readonly labelNote?: string | undefined
  readonly onChange?: (value: string) => void
}

/** One of several, in the browser's own control. */
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
