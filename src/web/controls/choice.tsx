import type { ReactNode } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'

interface Option<Value extends string> {
  readonly value: Value
  readonly text: string
  readonly icon?: ReactNode
}

interface Props<Value extends string> {
  readonly label: string
  readonly options: readonly Option<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice of one of a few visible options. */
export function Choice<Value extends string>({ label, options, value, onChange }: Props<Value>) {
  return (
    <RadioGroup
      className="choice"
      value={value}
      onChange={(next) => {
        const option = options.find((one) => one.value === next)
        if (option) onChange(option.value)
      }}
      orientation="horizontal"
    >
      <Label>{label}</Label>
      <div className="choices">
        {options.map((option) => (
          <Radio key={option.value} value={option.value}>
            {option.icon}
            {option.text}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  )
}
