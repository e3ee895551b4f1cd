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

/** Puts a file that was kept over the end of the session back into the browser's own input, which then names it. */
function putBack(input: HTMLInputElement | null, file: File | undefined): void {
  if (input === null || file === undefined || input.files?.length !== 0) return
  const transfer = new DataTransfer()
  transfer.items.add(file)
  input.files = transfer.files
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
          ref={(input) => putBack(input, file)}
          type="file"
          required={isRequired}
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
