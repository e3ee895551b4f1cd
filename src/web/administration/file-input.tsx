import { useId } from 'react'

interface Props {
  readonly label: string
  readonly description: string
  readonly error?: string | undefined
  readonly onChoose: (file: File | undefined) => void
}

/** One file, by the browser's own control. */
export function FileInput({ label, description, error, onChoose }: Props) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="file"
        aria-describedby={`${id}-help`}
        aria-invalid={error !== undefined}
        onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
      />
      <span id={`${id}-help`} slot="description">
        {description}
      </span>
      {error !== undefined && (
        <span className="react-aria-FieldError" role="alert">
          {error}
        </span>
      )}
    </div>
  )
}
