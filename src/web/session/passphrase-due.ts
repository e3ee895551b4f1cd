import { useOwnCapability } from './own-capability.ts'
import { useSession } from './session.tsx'

/** Why the page asks for a new pass phrase before it shows anything else. */
export type PassphraseDue = 'asked' | 'old'

/**
 * Whether the page asks for a new pass phrase, and why. An administrator's request is in the person's status and
 * outlasts a reload; only the login tells the age. The page enforces this, not the appliance, which answers all calls
 * meanwhile.
 */
export function usePassphraseDue(): PassphraseDue | undefined {
  const { isOverdue } = useSession()
  const isAsked = useOwnCapability('changePassphrase')
  if (isAsked) return 'asked'
  return isOverdue ? 'old' : undefined
}
