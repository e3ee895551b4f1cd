import { useEffect, useRef } from 'react'

/** Whether a view was shown before. The first view leaves the focus where the browser puts it. */
let isLater = false

interface Props {
  readonly text: string
  /**
   * Text for the browser's tab, where the heading is a name: names would stay in the browser's history after the
   * logout.
   */
  readonly kind?: string
}

/** The heading of a view. It takes the focus, so that screen readers announce the view and Tab continues from it. */
export function ViewTitle({ text, kind = text }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A person who walks the folder tree by arrow keys stays in it.
    const isInTree = document.activeElement?.closest('[role="treegrid"]') ?? undefined
    if (isLater && isInTree === undefined) heading.current?.focus({ preventScroll: true })
    isLater = true
  }, [])
  useEffect(() => {
    document.title = `${kind} · Strongroom`
  }, [kind])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  )
}
