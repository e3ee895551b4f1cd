interface Props {
  readonly label: string
  readonly isTicked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isTicked: boolean) => void
}

/** A checkbox of the browser. */
export function Tick({ label, isTicked, isDisabled = false, onChange }: Props) {
  return (
    <label className="tick">
      <input
        type="checkbox"
        checked={isTicked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
