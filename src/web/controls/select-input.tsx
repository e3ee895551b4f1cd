import { useId } from 'react'

interface Option {
  readonly value: string
  readonly text: string
  /** Where the text is not of the person's language. */
  readonly lang?: 'en' | undefined
}

interface Props {
  readonly label: string
  readonly name: string
  readonly options: readonly Option[]
  readonly defaultValue: string
  readonly description?: string
  readonly onChange?: (value: string) => void
}

/** One of several, in the browser's own control. */
export function SelectInput({ label, name, options, defaultValue, description, onChange }: Props) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        defaultValue={defaultValue}
        onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
        aria-describedby={description === undefined ? undefined : `${id}-help`}
      >
        {options.map(({ value, text, lang }) => (
          <option key={value} value={value} lang={lang}>
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
