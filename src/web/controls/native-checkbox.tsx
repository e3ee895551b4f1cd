interface Props {
  readonly label: string
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean) => void
}

/** A checkbox of the browser. */
export function NativeCheckbox({ label, isChecked, isDisabled = false, onChange }: Props) {
  return (
    <label className="native-checkbox">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
