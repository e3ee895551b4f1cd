import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox } from 'react-aria-components/Checkbox'

interface Props {
  readonly children: ReactNode
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
  readonly description?: string
}

/** A checkbox with a description. */
export function CheckOption({ children, isSelected, onChange, description }: Props) {
  return (
    <Checkbox className="check" isSelected={isSelected} onChange={onChange}>
      <span className="box">{isSelected && <Check aria-hidden />}</span>
      <span className="texts">
        <span>{children}</span>
        {description !== undefined && <span className="soft">{description}</span>}
      </span>
    </Checkbox>
  )
}
