import { useOwnCapability } from './own-capability.ts'
import { useSession } from './session.tsx'

/** Why a new pass phrase is asked for before anything else is shown. */
export type PassphraseDue = 'asked' | 'old'

/**
 * An administrator's request stands in the person's status, so it outlasts a reload; the age is told at the login alone. The
 * appliance answers all calls meanwhile: it is the page that waits.
 */
export function usePassphraseDue(): PassphraseDue | undefined {
  const { isOverdue } = useSession()
  const isAsked = useOwnCapability('changePassphrase')
  if (isAsked) return 'asked'
  return isOverdue ? 'old' : undefined
}
