import { useId } from 'react'

interface Props {
  readonly label: string
  readonly description?: string
  readonly error?: string | undefined
  readonly isRequired?: boolean
  /** Undefined where the person clears the choice. */
  readonly onChoose: (file: File | undefined) => void
}

/** A file input of the browser, with label and error. */
export function FileInput({ label, description, error, isRequired = false, onChoose }: Props) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        required={isRequired}
        aria-describedby={description === undefined ? undefined : `${id}-help`}
        aria-invalid={error !== undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
      />
      {description !== undefined && (
        <span id={`${id}-help`} slot="description">
          {description}
        </span>
      )}
      {error !== undefined && (
        <span className="react-aria-FieldError" role="alert">
          {error}
        </span>
      )}
    </div>
  )
}
