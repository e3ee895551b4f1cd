import { useEffect, useState } from 'react'

/** Screen readers say what changes in a region that they know already, not what it came with. */
const knownAfterMs = 100

/** A sentence that is read out where it comes with its view. */
export function Said({ className, text }: { readonly className: string; readonly text: string }) {
  const [isKnown, setIsKnown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsKnown(true), knownAfterMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className={className} role="status">
      {isKnown ? text : '\u00a0'}
    </p>
  )
}
