import { useId } from 'react'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly label: string
  readonly description?: string
  readonly error?: string | undefined
  readonly isRequired?: boolean
  readonly file: File | undefined
  /** Undefined where the person clears the choice. */
  readonly onChoose: (file: File | undefined) => void
}

/**
 * A file input with label and error. The browser's own input takes clicks, keys and dropped files, but lies unseen over words in
 * the person's language, because its words are in that of the browser.
 */
export function FileInput({ label, description, error, isRequired = false, file, onChoose }: Props) {
  const id = useId()
  const words = useWords()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <span className="file-face">
        <input
          id={id}
          type="file"
          // One that was kept over the end of the session is not in the browser's own input.
          required={isRequired && file === undefined}
          aria-describedby={description === undefined ? undefined : `${id}-help`}
          aria-invalid={error !== undefined}
          onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
        />
        <span className="button small" aria-hidden>
          {words.chooseFile}
        </span>
        <span aria-hidden>{file?.name ?? words.noFile}</span>
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
