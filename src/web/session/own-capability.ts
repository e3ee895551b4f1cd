import { useSession } from './session.tsx'

/** Bits of a user's status (`GET /utils/statusvalues`). */
const bits = { createVault: 1, admin: 2, audit: 3 } as const

/** Whether the person has a capability: what the page offers goes by it, and the appliance decides at each call. */
export function useOwnCapability(capability: keyof typeof bits): boolean {
  const { person } = useSession()
  return (Number(person?.userstatus ?? 0) & (1 << bits[capability])) !== 0
}
