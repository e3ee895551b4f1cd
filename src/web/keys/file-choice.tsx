import { useId } from 'react'

interface Props {
  readonly label: string
  readonly isRequired?: boolean
  /** Undefined where the person takes back the choice. */
  readonly onChoose: (file: File | undefined) => void
}

/** A file of a form, in the browser's own control. */
export function FileChoice({ label, isRequired = false, onChoose }: Props) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="file" required={isRequired} onChange={({ target }) => onChoose(target.files?.[0])} />
    </div>
  )
}
