import { useId, useState } from 'react'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly label: string
  readonly description?: string
  readonly error?: string | undefined
  readonly isRequired?: boolean
  /** Undefined where the person clears the choice. */
  readonly onChoose: (file: File | undefined) => void
}

/**
 * A file input with label and error. The browser's own input takes clicks, keys and dropped files, but lies unseen over words in
 * the person's language, because its words are in that of the browser.
 */
export function FileInput({ label, description, error, isRequired = false, onChoose }: Props) {
  const id = useId()
  const words = useWords()
  const [name, setName] = useState<string>()
  const choose = (file: File | undefined): void => {
    setName(file?.name)
    onChoose(file)
  }
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <span className="file-face">
        <input
          id={id}
          type="file"
          required={isRequired}
          aria-describedby={description === undefined ? undefined : `${id}-help`}
          aria-invalid={error !== undefined}
          onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
        />
        <span className="button small" aria-hidden>
          {words.chooseFile}
        </span>
        <span aria-hidden>{name ?? words.noFile}</span>
      </span>
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
