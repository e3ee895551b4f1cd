import { useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../session/session.tsx'

/**
 * The address of a one-time link, for which nobody logs in. The view takes it out of the browser's history, and it stays
 * known here until another comes, or another person: who unlocks the page may not be who opened the link.
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
