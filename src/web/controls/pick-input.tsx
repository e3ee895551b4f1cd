import { useId } from 'react'

interface Option {
  readonly value: string
  readonly text: string
}

interface Props {
  readonly label: string
  readonly options: readonly Option[]
  readonly value: string
  readonly onChange: (value: string) => void
  readonly description?: string | undefined
  readonly isRequired?: boolean
  readonly labelLang?: 'en' | undefined
  readonly labelNote?: string | undefined
}

/** One of several, by the browser's own list. */
export function PickInput(props: Props) {
  const { label, labelLang, labelNote, options, value, onChange, description, isRequired = false } = props
  const id = useId()
  const helpId = description === undefined ? undefined : `${id}-help`
  return (
    <div>
      <label htmlFor={id}>
        <span lang={labelLang}>{label}</span>
        {labelNote !== undefined && <span className="soft"> {labelNote}</span>}
      </label>
      <select
        id={id}
        value={value}
        required={isRequired}
        aria-describedby={helpId}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      {description !== undefined && (
        <span slot="description" id={helpId}>
          {description}
        </span>
      )}
    </div>
  )
}
