import type { ReactNode } from 'react'
import { ViewTitle } from './view-title.tsx'

interface Props {
  readonly title: string
  /** See `ViewTitle`. */
  readonly kind?: string
  readonly introduction?: string | undefined
  /** What stands beside the title. */
  readonly children?: ReactNode
}

/** The top of a view: its title, a sentence about it, and what stands beside them. */
export function ViewHeading({ title, introduction, children, ...tab }: Props) {
  return (
    <div className="heading">
      <div>
        <ViewTitle text={title} {...tab} />
        {introduction !== undefined && <p className="soft">{introduction}</p>}
      </div>
      {children}
    </div>
  )
}
