import { useEffect, useState } from 'react'

/**
 * Milliseconds until a new region is known to screen readers, which read out changes of a region, not its first
 * content.
 */
const knownAfterMs = 100

/** A sentence that screen readers read out when its view appears. */
export function LiveSentence({ className, text }: { readonly className: string; readonly text: string }) {
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
