import { useId } from 'react'
import { CopyButton } from './copy-button.tsx'

interface Props {
  readonly title: string
  readonly help: string
  readonly text: string
}

/** Lines for a shell, with a button that copies them. */
export function CommandLines({ title, help, text }: Props) {
  const id = useId()
  return (
    <div className="command-lines">
      <div className="bar">
        <h3 id={id}>{title}</h3>
        <CopyButton what={title} text={text} />
      </div>
      <p className="soft">{help}</p>
      {/* In the tab order, so that the keyboard can scroll wide lines. */}
      <pre tabIndex={0} role="region" aria-labelledby={id}>
        {text}
      </pre>
    </div>
  )
}
