import { useEffect, useRef } from 'react'

/** Whether the page has shown a view before: the first one leaves the focus where the browser puts it. */
let isLater = false

interface Props {
  readonly text: string
  /** For the browser's tab, where the text is a name: names of vaults and objects stay in the browser's history after a logout. */
  readonly kind?: string
}

/** The heading of a view. It takes the focus, so that screen readers say where one has come, and Tab goes on from there. */
export function ViewTitle({ text, kind = text }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Who goes through the folders by arrows stays there.
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
