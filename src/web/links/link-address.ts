import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../session/session.tsx'

/**
 * The address of an opened one-time link, for which no login is needed. The view removes it from the browser's history,
 * so it is remembered here. It is forgotten when another person logs in, who may not be the one that opened the link.
 */
export function useLinkAddress(): string | undefined {
  const [address] = useLocation()
  const { person, isChecked } = useSession()
  const [link, setLink] = useState<string | undefined>('')
  const [knownFor, setKnownFor] = useState<string>()
  const now = person?.userid ?? 'a stranger'
  if (isChecked && now !== knownFor) {
    setKnownFor(now)
    if (knownFor !== undefined) setLink(undefined)
  }
  const isWhole = address.startsWith('/link/')
  if (isWhole && address !== link) setLink(address)
  return isWhole || address === '/link' ? link : undefined
}
