import { useSession } from './session.tsx'

/** Positions of the bits in a user's status (`GET /utils/statusvalues`). */
export const capabilityBits = { createVault: 1, admin: 2, audit: 3, escrow: 4, changePassphrase: 6 } as const

/**
 * Whether the person has a capability. The page shows or hides functions by it; the appliance checks each call itself.
 */
export function useOwnCapability(capability: keyof typeof capabilityBits): boolean {
  const { person } = useSession()
  return (Number(person?.userstatus ?? 0) & (1 << capabilityBits[capability])) !== 0
}
